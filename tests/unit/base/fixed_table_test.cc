#include "base/fixed_table.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <unordered_map>

#include "tests/unit/property_seed.h"

struct Entry {
  std::uint64_t key = 0;  // 0: free
  int value = 0;
  bool operator==(const Entry&) const = default;
};

// Keys close together and aligned like addresses. One entry at least stays free.
BOOST_AUTO_TEST_CASE(searched_a_fixed_table_agrees_with_a_plain_map_under_random_use) {
  std::mt19937_64 random(marshal::property_seed());
  for (int round = 0; round < 100; ++round) {
    marshal::FixedTable<Entry, 64> table;
    std::unordered_map<std::uint64_t, Entry> plain;
    for (int step = 0; step < 1000; ++step) {
      const std::uint64_t key = (1 + random() % 63) * 16;
      Entry& found = table.search(key, [&](const Entry& entry) { return entry.key == key || entry.key == 0; });
      BOOST_REQUIRE((found == plain[key]));
      if (random() % 2 == 0) found = plain[key] = {key, step};
    }
  }
}

BOOST_AUTO_TEST_CASE(at_home_a_key_is_found_until_another_one_of_that_home_comes) {
  std::mt19937_64 random(marshal::property_seed());
  marshal::FixedTable<Entry, 256> table;
  std::unordered_map<std::size_t, Entry> by_home;
  for (int step = 0; step < 100000; ++step) {
    const std::uint64_t key = (1 + random() % 500) * 16;
    BOOST_REQUIRE((table.home(key) == by_home[table.home_of(key)] && &table.home(key) == &table[table.home_of(key)]));
    if (random() % 2 == 0) table.home(key) = by_home[table.home_of(key)] = {key, step};
  }
  BOOST_TEST(by_home.size() > 200U);
}
