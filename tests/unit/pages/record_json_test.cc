#include <boost/test/unit_test.hpp>

#include "pages/pages.h"
#include "record/json.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/record/random_record.h"

using namespace marshal::report;

namespace {

std::string refused(const std::string& text) {
  std::string why;
  BOOST_TEST(!from_json(text, why).has_value());
  return why;
}

}  // namespace

BOOST_AUTO_TEST_CASE(json_and_cbor_give_the_same_record_back) {
  RandomRecords random(marshal::property_seed());
  for (int round = 0; round < 30; ++round) {
    Record record;
    for (std::uint64_t rank = 0; rank < 20; ++rank) merge(record, random.record(rank, round % 2 == 0 ? 4 : 900));
    std::string why;
    const auto by_json = from_json(to_json(record), why);
    BOOST_REQUIRE_EQUAL(why, "");
    BOOST_TEST((by_json == record));
    BOOST_TEST((from_cbor(to_cbor(record)) == record));
  }
}

BOOST_AUTO_TEST_CASE(an_empty_record_survives_too) {
  std::string why;
  BOOST_TEST((from_json(to_json(Record{}), why) == Record{}));
}

BOOST_AUTO_TEST_CASE(damaged_cbor_is_refused) {
  RandomRecords random(marshal::property_seed());
  const std::vector<std::uint8_t> good = to_cbor(random.record(0, 4));
  for (int round = 0; round < 500; ++round) {
    std::vector<std::uint8_t> bad = good;
    if (random.number(2) == 0)
      bad.resize(random.number(bad.size()));
    else
      bad[random.number(bad.size())] ^= static_cast<std::uint8_t>(1 + random.number(255));
    BOOST_TEST(!from_cbor(bad).has_value());
  }
  BOOST_TEST(!from_cbor({}).has_value());
}

BOOST_AUTO_TEST_CASE(a_text_that_is_no_report_is_refused_with_a_reason) {
  BOOST_TEST(refused("") == "it is not JSON");
  BOOST_TEST(refused("{") == "it is not JSON");
  BOOST_TEST(refused("[1,2]") == "it is not a report of Marshal");
  BOOST_TEST(refused(R"({"schema":"marshal-report","schema_version":99})") ==
             "its schema version is 99, and this Marshal reads version 6");
  BOOST_TEST(refused(R"({"schema":"marshal-report","schema_version":6})") == "its job is missing");
  BOOST_TEST(refused(std::string(100000, '[')) == "it is not a report of Marshal: it is nested too deep");
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  BOOST_TEST(refused(deep) == "it is not a report of Marshal: it is nested too deep");
  BOOST_TEST(refused(R"({"schema":"marshal-report","schema_version":)" + deep + "}") ==
             "it is not a report of Marshal: it is nested too deep");
}

namespace {

// The values inside `value` that have none inside.
std::vector<Json*> leaves(Json& value) {
  std::vector<Json*> all;
  const auto append = [&](Json& part) {
    for (Json* leaf : leaves(part)) all.push_back(leaf);
  };
  for (auto& [name, member] : const_cast<Json::Object&>(value.members())) append(member);
  for (Json& element : const_cast<Json::Array&>(value.elements())) append(element);
  if (all.empty()) all.push_back(&value);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_single_broken_member_is_refused_and_never_crashes) {
  RandomRecords random(5);
  const Json whole = parse_json(to_json(random.record(0, 4))).value();
  Json record;
  for (const auto& [name, member] : whole.members())
    if (name != "findings") record.add(name, member);  // they follow from the record, and are not read
  std::size_t tried = 0;
  for (Json* member : leaves(record)) {
    const Json good = *member;
    for (const Json& wrong : {Json(), Json(Json::Array{1}), Json::object({{"x", -1}})}) {
      *member = wrong;
      std::string why;
      BOOST_TEST(!from_json(json_text(record, -1), why).has_value(),
                 json_text(wrong, -1) << " is taken in the place of " << json_text(good, -1));
      ++tried;
    }
    *member = good;
  }
  BOOST_TEST(tried > 500u);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf8_are_written_as_replacement_characters) {
  Record record;
  record.job.program = "caf\xe9";
  std::string why;
  const auto back = from_json(to_json(record), why);
  BOOST_REQUIRE(back.has_value());
  BOOST_TEST(back->job.program == "caf\xef\xbf\xbd");
}
