#include "base/fixed_table.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "tests/unit/property_seed.h"

struct Entry {
  std::uint64_t key = 0;  // 0: free
  int value = 0;
  bool operator==(const Entry&) const = default;
};

BOOST_AUTO_TEST_CASE(keys_at_equal_distances_reach_a_third_of_the_places) {
  for (const int bits : {6, 8, 10, 12})
    for (std::uint64_t odd = 1; odd < 14; odd += 2)
      for (std::uint64_t distance = odd; distance < odd << 11; distance *= 2) {
        std::unordered_set<std::size_t> places;
        for (std::uint64_t i = 0; i < std::uint64_t{1} << bits; ++i)
          places.insert(marshal::spread(0x55d0c0de1240 + i * distance, bits));
        BOOST_TEST_CONTEXT(bits << " bits, distance " << distance)
        BOOST_TEST(places.size() * 3 > std::size_t{1} << bits);
      }
}

// The expected places of random keys: Feller, "An Introduction to Probability Theory", volume 1, IV.2, occupancy.
BOOST_AUTO_TEST_CASE(keys_spread_at_random_reach_as_many_places_as_random_ones) {
  constexpr int bits = 16;
  constexpr double all = std::size_t{1} << bits;
  for (const std::uint64_t keys : {1500, 20000})
    for (std::uint64_t distance = 8; distance < 4096; distance += 40) {
      std::unordered_set<std::size_t> places;
      for (std::uint64_t i = 0; i < keys; ++i)
        places.insert(marshal::spread_at_random(0x55d0c0de1240 + i * distance, bits));
      BOOST_TEST_CONTEXT(keys << " keys, distance " << distance)
      BOOST_TEST(static_cast<double>(places.size()) == all * (1 - std::exp(-static_cast<double>(keys) / all)),
                 boost::test_tools::tolerance(0.02));
    }
}

BOOST_AUTO_TEST_CASE(fixed_tables_agree_with_plain_maps_under_random_use) {
  std::mt19937_64 random(marshal::property_seed());
  for (int round = 0; round < 100; ++round) {
    marshal::FixedTable<Entry, 64> searched, forgetful;
    std::unordered_map<std::uint64_t, Entry> by_key, by_home;
    for (int step = 0; step < 1000; ++step) {
      const std::uint64_t key = (1 + random() % 63) * 16;  // aligned like addresses; one entry stays free
      Entry& found = searched.search(key, [&](const Entry& entry) { return entry.key == key || entry.key == 0; });
      Entry& home = forgetful.home(key);
      BOOST_REQUIRE((found == by_key[key] && home == by_home[forgetful.home_of(key)]));
      if (random() % 2 == 0) found = by_key[key] = home = by_home[forgetful.home_of(key)] = {key, step};
    }
    BOOST_REQUIRE_GT(by_home.size(), 8U);
  }
}
