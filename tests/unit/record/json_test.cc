#include "record/json.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>

using namespace marshal::report;

namespace {

long allocations_left = std::numeric_limits<long>::max();

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = allocations_left-- > 0 ? std::malloc(bytes) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

BOOST_AUTO_TEST_CASE(a_copy_that_finds_no_memory_leaves_nothing_behind) {
  const std::string long_text(100, 'x');
  const Json inner = Json::object({{long_text, long_text}, {"array", Json::Array{long_text, Json::Array{long_text}}}});
  const Json value = Json::Array{inner, long_text, inner};
  int failures = 0;
  for (bool is_copied = false; !is_copied; ++failures) {
    allocations_left = failures;
    try {
      const Json copy = value;
      is_copied = true;
    } catch (const std::bad_alloc&) {
    }
    allocations_left = std::numeric_limits<long>::max();
  }
  BOOST_TEST(failures > 10);
}

BOOST_AUTO_TEST_CASE(members_keep_the_order_in_which_they_were_added) {
  Json object = Json::object({{"z", 1}, {"a", "text"}});
  object.add("m", Json::Array{true, Json()});
  BOOST_TEST(json_text(object, -1) == R"({"z":1,"a":"text","m":[true,null]})");
}

BOOST_AUTO_TEST_CASE(text_and_cbor_give_the_same_value_back) {
  const Json value = Json::object({{"least", std::numeric_limits<std::int64_t>::min()},
                                   {"most", std::numeric_limits<std::uint64_t>::max()},
                                   {"tenth", 0.1},
                                   {"words", std::vector<std::string>{"", "\"\\\n", "\xc3\xa9"}},
                                   {"none", Json::object()}});
  const std::string text = json_text(value, -1);
  BOOST_TEST(json_text(parse_json(text).value(), -1) == text);
  // CBOR of the library has its own order of members.
  const Json back = parse_cbor(to_cbor(value)).value();
  BOOST_TEST(back["least"].whole().value() == std::numeric_limits<std::int64_t>::min());
  BOOST_TEST(back["most"].count().value() == std::numeric_limits<std::uint64_t>::max());
  BOOST_TEST(back["tenth"].number().value() == 0.1);
  BOOST_TEST(json_text(back["words"], -1) == json_text(value["words"], -1));
}

BOOST_AUTO_TEST_CASE(numbers_are_read_as_what_they_fit) {
  const Json numbers = parse_json("[-1, 18446744073709551615, 1.5, \"7\"]").value();
  const Json::Array& at = numbers.elements();
  BOOST_TEST(at[0].whole().value() == -1);
  BOOST_TEST(!at[0].count().has_value());
  BOOST_TEST(!at[1].whole().has_value());
  BOOST_TEST(!at[2].whole().has_value());
  BOOST_TEST(at[2].number().value() == 1.5);
  BOOST_TEST(!at[3].is_number());
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_null) {
  const Json value = parse_json(R"({"a": [1]})").value();
  BOOST_TEST(value["b"]["c"].text().empty());
  BOOST_TEST(value["a"].members().empty());
  BOOST_TEST(value.find("b") == nullptr);
}

BOOST_AUTO_TEST_CASE(arrays_of_numbers_stand_in_one_line) {
  const Json value =
      Json::object({{"picture", Json::Array{Json::Array{1, 2}, Json::Array{3}}}, {"empty", Json::array()}});
  BOOST_TEST(json_text_of_rows(value) == "{\n \"picture\": [[1,2],[3]],\n \"empty\": []\n}");
  BOOST_TEST(json_text(value["picture"], 2) == "[\n  [\n    1,\n    2\n  ],\n  [\n    3\n  ]\n]");
}

BOOST_AUTO_TEST_CASE(what_json_cannot_hold_is_replaced) {
  BOOST_TEST(json_text(Json("\xe9"), -1) == "\"\xef\xbf\xbd\"");
  BOOST_TEST(json_text(Json(std::nan("")), -1) == "null");
}

BOOST_AUTO_TEST_CASE(what_a_terminal_would_obey_is_written_out_and_read_again) {
  const Json value = Json::object({{"\u009b", "\x1b\x7f\u202e"}});
  BOOST_TEST(json_text(value, -1) == "{\"\\u009b\":\"\\u001b\\u007f\\u202e\"}");
  BOOST_TEST((*parse_json(json_text(value, -1)))["\u009b"].text() == "\x1b\x7f\u202e");
}

BOOST_AUTO_TEST_CASE(broken_and_deep_texts_are_refused_with_a_reason) {
  std::string why;
  BOOST_TEST(!parse_json("{\"a\":", &why).has_value());
  BOOST_TEST(why == "it is not JSON");
  BOOST_TEST(!parse_json(std::string(65, '[') + std::string(65, ']'), &why).has_value());
  BOOST_TEST(why.find("nested too deep") != std::string::npos);
  BOOST_TEST(parse_json(std::string(64, '[') + std::string(64, ']')).has_value());
  const std::uint8_t cut[] = {0x82, 0x01};  // an array of two, and one element
  BOOST_TEST(!parse_cbor(cut).has_value());
}
