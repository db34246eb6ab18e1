#include "base/linked_table.h"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <random>
#include <unordered_map>

#include "tests/unit/property_seed.h"

namespace {
struct Object {
  std::uint64_t key = 0;
  Object* next = nullptr;
};
using Table = marshal::LinkedTable<Object, &Object::key, &Object::next>;
}  // namespace

BOOST_AUTO_TEST_SUITE(linked_table)

BOOST_AUTO_TEST_CASE(agrees_with_a_plain_map_under_random_use) {
  std::mt19937_64 random(marshal::property_seed());
  Table table;
  std::unordered_map<std::uint64_t, std::unique_ptr<Object>> plain;
  for (int step = 0; step < 100000; ++step) {
    // Few keys, close together and aligned like addresses.
    const std::uint64_t key = (random() % 500) * 16;
    if (random() % 2 == 0 && !plain.contains(key)) {
      plain[key] = std::make_unique<Object>(Object{key, nullptr});
      table.insert(*plain[key]);
    } else {
      const auto at = plain.find(key);
      BOOST_REQUIRE_EQUAL(table.find(key), at == plain.end() ? nullptr : at->second.get());
      BOOST_REQUIRE_EQUAL(table.extract(key), at == plain.end() ? nullptr : at->second.get());
      if (at != plain.end()) plain.erase(at);
    }
    BOOST_REQUIRE_EQUAL(table.size(), plain.size());
  }
}

BOOST_AUTO_TEST_CASE(of_equal_keys_the_later_one_is_found_first) {
  Object first{7, nullptr}, second{7, nullptr};
  Table table;
  table.insert(first);
  table.insert(second);
  BOOST_TEST(table.extract(7) == &second);
  BOOST_TEST(table.extract(7) == &first);
  BOOST_TEST(table.extract(7) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
