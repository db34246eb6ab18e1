#include "record/bounded_table.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

#include "record/record.h"
#include "tests/unit/property_seed.h"

using namespace marshal::report;

namespace {

using Small = BoundedTable<std::string, CallCount, 5>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_table_never_holds_more_than_its_limit_and_loses_no_count) {
  Small table;
  for (int i = 0; i < 100; ++i) table[std::to_string(i % 20)].merge({1, 1});
  BOOST_TEST(table.size() == 5u);
  std::uint64_t total = table.others().calls;
  table.each([&](const std::string&, const CallCount& row) {
    total += row.calls;
    BOOST_TEST(row.calls == 5u);  // a row that is kept is complete
  });
  BOOST_TEST(total == 100u);
  BOOST_TEST(table.overflowed());
}

BOOST_AUTO_TEST_CASE(a_table_within_its_limit_has_no_others) {
  Small table;
  BOOST_TEST(table.empty());
  for (int i = 0; i < 5; ++i) table[std::to_string(i)].merge({1, 1});
  BOOST_TEST(table.size() == 5u);
  BOOST_TEST(!table.overflowed());
  BOOST_TEST(table.find("3") != nullptr);
  BOOST_TEST(table.find("9") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_hash_tells_whether_a_key_is_among_the_others) {
  Small table;
  const auto is_full_for = [&](const std::string& key) { return table.is_full_for(hash_of(std::string_view(key))); };
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::to_string(i);
    const bool was_full = is_full_for(key);
    table[key].merge({1, 1});
    BOOST_TEST(was_full == (i >= 5 && table.find(key) == nullptr));
  }
}

BOOST_AUTO_TEST_CASE(any_order_and_grouping_of_merges_gives_the_same_table) {
  std::mt19937 random(marshal::property_seed());
  for (int round = 0; round < 200; ++round) {
    std::vector<Small> parts(1 + random() % 8);
    for (Small& part : parts)
      for (auto i = random() % 12; i > 0; --i) part[std::to_string(random() % 12)].merge({random() % 9, 1});
    Small in_a_row;
    for (const Small& part : parts) in_a_row.merge(part);
    std::shuffle(parts.begin(), parts.end(), random);
    while (parts.size() > 1) {
      const std::size_t at = random() % (parts.size() - 1);
      parts[at].merge(parts[at + 1]);
      parts.erase(parts.begin() + static_cast<long>(at) + 1);
    }
    BOOST_REQUIRE(parts.front() == in_a_row);
  }
}
