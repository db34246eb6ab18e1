#include "rankmap/group_algebra.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

using namespace marshal;

namespace {

using Ranks = std::vector<std::int32_t>;

constexpr RankSentinels sentinels{-32766, -2};

}  // namespace

BOOST_AUTO_TEST_CASE(relations_are_those_of_the_standard) {
  const RankMap world = RankMap::identity(0, 10, MapForm::blocks);
  const RankMap backwards = world.derive(StridedBlocks::linear(9, -1, 10));
  BOOST_TEST((compare(world, world) == GroupRelation::identical));
  BOOST_TEST((compare(world, backwards) == GroupRelation::similar));
  BOOST_TEST((compare(world, RankMap::identity(0, 9, MapForm::blocks)) == GroupRelation::unequal));
  BOOST_TEST((compare(world, RankMap::identity(1, 10, MapForm::blocks)) == GroupRelation::unequal));
  const RankMap empty;
  BOOST_TEST((compare(empty, RankMap::from_lpids(4, {}, MapForm::lut)) == GroupRelation::identical));
  BOOST_TEST((compare(world, empty) == GroupRelation::unequal));
}

BOOST_AUTO_TEST_CASE(ranks_outside_are_left_to_the_host) {
  const RankMap world = RankMap::identity(0, 10, MapForm::blocks);
  Ranks out(1);
  for (const std::int32_t rank : {-1, 10, -32766}) BOOST_TEST(!translate(world, {&rank, 1}, world, sentinels, out));
  const std::int32_t null = sentinels.proc_null;
  BOOST_TEST(translate(world, {&null, 1}, world, sentinels, out));
  BOOST_TEST(out[0] == null);
  BOOST_TEST(!valid_ranks(10, Ranks{1, 2, 1}));
  BOOST_TEST(!valid_ranks(10, Ranks{10}));
  BOOST_TEST(valid_ranks(10, Ranks{}));
}

BOOST_AUTO_TEST_CASE(ranges_are_those_of_the_standard) {
  const auto expand = [](std::vector<RankRange> ranges) { return expand_ranges(20, ranges); };
  BOOST_TEST((expand({{1, 9, 2}}) == Ranks{1, 3, 5, 7, 9}));
  BOOST_TEST((expand({{1, 10, 4}}) == Ranks{1, 5, 9}));
  BOOST_TEST((expand({{9, 1, -4}, {0, 0, 1}}) == Ranks{9, 5, 1, 0}));
  BOOST_TEST((expand({{3, 3, -1}}) == Ranks{3}));
  BOOST_TEST((expand({}) == Ranks{}));
  BOOST_TEST(!expand({{1, 9, 0}}));
  BOOST_TEST(!expand({{9, 1, 1}}));
  BOOST_TEST(!expand({{1, 20, 1}}));
  BOOST_TEST((expand({{1, 20, 18}}) == Ranks{1, 19}));
  BOOST_TEST(!expand({{-1, 3, 1}}));
  BOOST_TEST(!expand({{1, 3, 1}, {2, 2, 1}}));
  BOOST_TEST((*all_but(5, Ranks{3, 0}) == Ranks{1, 2, 4}));
}

BOOST_AUTO_TEST_CASE(a_difference_of_a_million_processes_is_linear_work) {
  // Not timed: at quadratic cost this would not end.
  const std::int32_t size = 1 << 20;
  const RankMap world = RankMap::identity(0, size, MapForm::blocks);
  std::vector<std::int32_t> shuffled(static_cast<std::size_t>(size) / 2);
  for (std::size_t i = 0; i < shuffled.size(); ++i) shuffled[i] = static_cast<std::int32_t>(2 * i);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937{13});
  const RankMap even = world.derive(shuffled);
  const auto odd = difference(world, even);
  BOOST_TEST(odd.size() == shuffled.size());
  BOOST_TEST((world.derive(odd).formula() != nullptr));
  BOOST_TEST(difference(even, world).empty());
  BOOST_TEST((compare(set_union(even, world.derive(odd)), world) == GroupRelation::similar));
}
