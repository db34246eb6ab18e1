#include "datatype/position_marks.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

#include "tests/unit/property_seed.h"

namespace marshal::datatype {

BOOST_AUTO_TEST_SUITE(position_marks)

BOOST_AUTO_TEST_CASE(every_limit_is_found_as_by_a_search_through_all) {
  const std::uint64_t first = property_seed();
  for (std::uint64_t seed = first; seed < first + 500; ++seed) {
    std::mt19937_64 random(seed);
    // Steps of 0 to 2, 8 or 2000: dense lists, pieces without bytes, and lists with long blocks among short ones.
    const std::uint64_t longest[] = {2, 8, 2000};
    const std::size_t count = 1 + random() % 300;
    std::vector<std::int32_t> sorted;
    std::int64_t size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sorted.push_back(static_cast<std::int32_t>(size));
      size += static_cast<std::int64_t>(random() % (longest[random() % (1 + seed % 3)] + 1));
    }
    size = std::max<std::int64_t>(size, 1);
    const PositionMarks marks(sorted.data(), sorted.size(), size);
    const auto check = [&](std::int64_t limit) {
      const auto below = std::lower_bound(sorted.begin(), sorted.end(), limit) - sorted.begin();
      BOOST_REQUIRE_EQUAL(marks.below(sorted.data(), limit), below);
      BOOST_REQUIRE_EQUAL(count_below(sorted.data(), static_cast<std::int64_t>(count), limit), below);
    };
    for (std::int64_t limit = 0; limit < size; limit += 1 + static_cast<std::int64_t>(random() % 3)) check(limit);
    check(size);
  }
}

BOOST_AUTO_TEST_CASE(one_long_block_is_found) {
  const std::int64_t one[] = {0};
  const PositionMarks marks(one, 1, std::int64_t{1} << 40);
  BOOST_TEST(marks.below(one, 0) == 0);
  BOOST_TEST(marks.below(one, 1) == 1);
  BOOST_TEST(marks.below(one, std::int64_t{1} << 40) == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace marshal::datatype
