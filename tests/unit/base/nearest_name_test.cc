#include "base/nearest_name.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/property_seed.h"

using namespace marshal;

BOOST_AUTO_TEST_CASE(distance_counts_single_edits) {
  BOOST_TEST(edit_distance("", "") == 0u);
  BOOST_TEST(edit_distance("cart", "CART") == 0u);
  BOOST_TEST(edit_distance("", "abc") == 3u);
  BOOST_TEST(edit_distance("cart", "crat") == 1u);
  BOOST_TEST(edit_distance("kitten", "sitting") == 3u);
}

BOOST_AUTO_TEST_CASE(distance_is_symmetric_and_at_most_the_number_of_edits_made) {
  std::mt19937 random(property_seed());
  for (int round = 0; round < 500; ++round) {
    std::string a(random() % 12, 'x');
    for (char& c : a) c = static_cast<char>('a' + random() % 5);
    std::string b = a;
    const std::size_t edits = random() % 4;
    for (std::size_t e = 0; e < edits; ++e) {
      if (b.empty() || random() % 2 == 0)
        b.insert(b.begin() + static_cast<long>(random() % (b.size() + 1)), static_cast<char>('a' + random() % 5));
      else
        b.erase(b.begin() + static_cast<long>(random() % b.size()));
    }
    BOOST_TEST(edit_distance(a, b) == edit_distance(b, a));
    BOOST_TEST(edit_distance(a, b) <= edits);
  }
}

BOOST_AUTO_TEST_CASE(nothing_near_is_nothing_proposed) {
  const std::vector<std::string_view> names = {"MARSHAL_CART", "MARSHAL_PACK"};
  BOOST_TEST(nearest_name("MARSHAL_CARD", names) == "MARSHAL_CART");
  BOOST_TEST(nearest_name("SOMETHING_ELSE", names) == "");
  BOOST_TEST(nearest_name("MARSHAL_CART", {}) == "");
}
