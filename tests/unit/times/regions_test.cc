#include <boost/test/unit_test.hpp>
#include <string>

#include "times/time_sums.h"

namespace marshal {
namespace {

// Sums of a thread after `run` ticks, of which `first` and `second` were in two kinds of calls.
TimeSums sums(Ticks run, Ticks first, Ticks second) { return {run, {first, second}}; }

void expect(const Region& region, const std::string& name, std::uint64_t entries, const TimeSums& expected) {
  BOOST_TEST(region.name == name);
  BOOST_TEST(region.entries == entries);
  BOOST_TEST(region.sums.run == expected.run);
  BOOST_TEST(region.sums.calls == expected.calls, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_region_has_the_time_of_regions_inside_it) {
  Regions regions;
  regions.enter("outer", sums(100, 10, 0));
  regions.enter("inner", sums(200, 20, 5));
  BOOST_TEST(regions.leave("inner", sums(300, 40, 5)));
  regions.enter("inner", sums(400, 40, 6));
  BOOST_TEST(regions.leave("inner", sums(410, 41, 6)));
  BOOST_TEST(regions.leave("outer", sums(500, 50, 9)));
  const auto& all = regions.end(sums(600, 60, 60));
  BOOST_REQUIRE(all.size() == 2u);
  expect(all[0], "outer", 1, sums(400, 40, 9));
  expect(all[1], "inner", 2, sums(110, 21, 0));
}

BOOST_AUTO_TEST_CASE(inside_itself_a_region_counts_once) {
  Regions regions;
  regions.enter("a", sums(0, 0, 0));
  regions.enter("a", sums(10, 1, 0));
  BOOST_TEST(regions.leave("a", sums(20, 2, 0)));
  BOOST_TEST(regions.leave("a", sums(30, 3, 0)));
  expect(regions.end(sums(99, 9, 9)).at(0), "a", 2, sums(30, 3, 0));
}

BOOST_AUTO_TEST_CASE(a_region_deep_inside_itself_ends_where_the_outermost_is_left) {
  constexpr Ticks deep = 1000;
  Regions regions;
  for (Ticks i = 0; i < deep; ++i) {
    regions.enter("a", sums(i, i, 0));
    regions.enter("b", sums(i, i, 0));
  }
  for (Ticks i = 0; i < deep; ++i) {
    BOOST_TEST(regions.leave("b", sums(deep + i, 0, 0)));
    BOOST_TEST(regions.leave("a", sums(deep + i, 0, 0)));
  }
  BOOST_TEST(!regions.leave("a", sums(3 * deep, 0, 0)));
  const auto& all = regions.end(sums(3 * deep, 0, 0));
  expect(all.at(0), "a", deep, sums(2 * deep - 1, 0, 0));
  expect(all.at(1), "b", deep, sums(2 * deep - 1, 0, 0));
}

BOOST_AUTO_TEST_CASE(a_region_never_entered_is_not_left) {
  Regions regions;
  BOOST_TEST(!regions.leave("a", sums(1, 1, 1)));
  regions.enter("a", sums(1, 1, 1));
  BOOST_TEST(!regions.leave("b", sums(2, 2, 2)));
  BOOST_TEST(regions.leave("a", sums(3, 3, 3)));
  BOOST_TEST(!regions.leave("a", sums(4, 4, 4)));
}

BOOST_AUTO_TEST_CASE(regions_never_left_end_with_the_one_around_them_or_with_the_run) {
  Regions regions;
  regions.enter("outer", sums(0, 0, 0));
  regions.enter("never left", sums(10, 0, 0));
  BOOST_TEST(regions.leave("outer", sums(30, 0, 0)));
  regions.enter("to the end", sums(40, 0, 0));
  const auto& all = regions.end(sums(100, 7, 0));
  BOOST_REQUIRE(all.size() == 3u);
  expect(all[1], "never left", 1, sums(20, 0, 0));
  expect(all[2], "to the end", 1, sums(60, 7, 0));
}

BOOST_AUTO_TEST_CASE(names_are_bounded) {
  Regions regions;
  for (std::size_t i = 0; i < 3 * Regions::most; ++i) regions.enter(std::to_string(i), sums(i, 0, 0));
  BOOST_TEST(regions.end(sums(1000, 0, 0)).size() == Regions::most);
  for (std::size_t i = 0; i < 3 * Regions::most; ++i) {
    regions.enter(std::to_string(i), sums(i, 0, 0));
    regions.leave(std::to_string(i), sums(i, 0, 0));
  }
  BOOST_TEST(regions.end(sums(1000, 0, 0)).size() == Regions::most);
}

}  // namespace marshal
