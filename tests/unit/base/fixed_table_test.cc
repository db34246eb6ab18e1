#include "base/fixed_table.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <unordered_map>

#include "tests/unit/property_seed.h"

using marshal::FixedTable;

namespace {
struct Entry {
  std::uint64_t key = 0;  // 0: free
  int value = 0;
};
// Close together and aligned like addresses.
std::uint64_t some_key(std::mt19937_64& random, int keys) {
  return (1 + random() % static_cast<std::uint64_t>(keys)) * 16;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(fixed_table)

BOOST_AUTO_TEST_CASE(searched_it_agrees_with_a_plain_map_under_random_use) {
  std::mt19937_64 random(marshal::property_seed());
  for (int round = 0; round < 100; ++round) {
    FixedTable<Entry, 64> table;
    std::unordered_map<std::uint64_t, int> plain;
    const int keys = 1 + static_cast<int>(random() % 63);  // one entry stays free at least
    for (int step = 0; step < 1000; ++step) {
      const std::uint64_t key = some_key(random, keys);
      Entry& found = table.search(key, [&](const Entry& entry) { return entry.key == key || entry.key == 0; });
      const auto at = plain.find(key);
      BOOST_REQUIRE_EQUAL(found.key, at == plain.end() ? 0 : key);
      BOOST_REQUIRE_EQUAL(found.value, at == plain.end() ? 0 : at->second);
      if (random() % 2 == 0) found = {key, plain[key] = step};
    }
  }
}

BOOST_AUTO_TEST_CASE(at_home_a_key_is_found_until_another_one_of_that_home_comes) {
  std::mt19937_64 random(marshal::property_seed());
  FixedTable<Entry, 256> table;
  std::unordered_map<std::size_t, Entry> plain;  // by home
  for (int step = 0; step < 100000; ++step) {
    const std::uint64_t key = some_key(random, 500);
    const std::size_t home = table.home_of(key);
    BOOST_REQUIRE_LT(home, table.size());
    BOOST_REQUIRE_EQUAL(&table.home(key), &table[home]);
    BOOST_REQUIRE_EQUAL(table.home(key).key, plain[home].key);
    BOOST_REQUIRE_EQUAL(table.home(key).value, plain[home].value);
    if (random() % 2 == 0) table.home(key) = plain[home] = {key, step};
  }
}

// Else a table would forget too much.
BOOST_AUTO_TEST_CASE(aligned_addresses_that_follow_each_other_get_homes_of_their_own) {
  FixedTable<Entry, 256> table;
  std::size_t apart = 0;
  for (std::uint64_t key = 1; key <= 128; ++key) {
    Entry& home = table.home(0x5555000000000000 + key * 64);
    if (home.key == 0) ++apart;
    home.key = key;
  }
  BOOST_TEST(apart >= 64U);
}

BOOST_AUTO_TEST_SUITE_END()
