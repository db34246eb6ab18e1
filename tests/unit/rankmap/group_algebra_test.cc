#include "rankmap/group_algebra.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <set>
#include <vector>

using namespace marshal;

namespace {

using Ranks = std::vector<std::int32_t>;
using Members = std::vector<Process>;

constexpr RankSentinels kSentinels{-32766, -2};
constexpr MapForm kTracked[] = {MapForm::blocks,  MapForm::rankmap, MapForm::plist,  MapForm::range,
                                MapForm::strided, MapForm::bitmap,  MapForm::sparse, MapForm::lut};

bool contains(const Members& members, Process process) {
  return std::find(members.begin(), members.end(), process) != members.end();
}

std::int32_t place(const Members& members, Process process) {
  const auto at = std::find(members.begin(), members.end(), process);
  return at == members.end() ? -1 : static_cast<std::int32_t>(at - members.begin());
}

// The map of a communicator in one form, beside the plain list of its processes.
struct Tracked {
  RankMap map;
  Members members;
};

void check_both_ways(const Tracked& group) {
  BOOST_REQUIRE(group.map.size() == static_cast<std::int32_t>(group.members.size()));
  for (std::int32_t r = 0; r < group.map.size(); ++r) {
    const Process process = group.members[static_cast<std::size_t>(r)];
    BOOST_REQUIRE((group.map.process(r) == process));
    BOOST_REQUIRE(group.map.rank_of(process) == r);
  }
  for (std::int32_t lpid = 0; lpid < 40; ++lpid) {
    for (std::int32_t g = 0; g < 3; ++g) {
      BOOST_REQUIRE(group.map.rank_of({g, lpid}) == place(group.members, {g, lpid}));
    }
  }
}

Members picked(const Members& members, const Ranks& ranks) {
  Members result;
  for (const std::int32_t r : ranks) result.push_back(members[static_cast<std::size_t>(r)]);
  return result;
}

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  std::int32_t operator()(std::int32_t low, std::int32_t high) {
    return std::uniform_int_distribution<std::int32_t>(low, high)(engine_);
  }

  // What splits, Cart_sub, incl, excl and reordering take from a communicator of that size.
  Ranks child(std::int32_t size) {
    Ranks ranks;
    switch ((*this)(0, 7)) {
      case 0:  // dup
        for (std::int32_t r = 0; r < size; ++r) ranks.push_back(r);
        break;
      case 1: {  // split by a modulus
        const std::int32_t colours = (*this)(1, 5);
        const std::int32_t mine = (*this)(0, colours - 1);
        for (std::int32_t r = mine; r < size; r += colours) ranks.push_back(r);
        break;
      }
      case 2: {  // split by block, sometimes with keys that reverse
        const std::int32_t block = (*this)(1, size);
        const std::int32_t first = (*this)(0, (size - 1) / block) * block;
        for (std::int32_t r = first; r < std::min(size, first + block); ++r) ranks.push_back(r);
        if ((*this)(0, 1) == 1) std::reverse(ranks.begin(), ranks.end());
        break;
      }
      case 3:  // random colours
        for (std::int32_t r = 0; r < size; ++r) {
          if ((*this)(0, 2) == 0) ranks.push_back(r);
        }
        break;
      case 4:  // random keys
        for (std::int32_t r = 0; r < size; ++r) {
          if ((*this)(0, 3) != 0) ranks.push_back(r);
        }
        std::shuffle(ranks.begin(), ranks.end(), engine_);
        break;
      case 5: {  // Cart_sub of a row-major grid
        const std::int32_t z = (*this)(1, 4);
        const std::int32_t y = (*this)(1, 4);
        const std::int32_t x = size / (y * z);
        const std::int32_t keep = (*this)(0, 7);
        for (std::int32_t i = 0; i < ((keep & 1) != 0 ? x : std::min(x, 1)); ++i) {
          for (std::int32_t j = 0; j < ((keep & 2) != 0 ? y : 1); ++j) {
            for (std::int32_t k = 0; k < ((keep & 4) != 0 ? z : 1); ++k) ranks.push_back((i * y + j) * z + k);
          }
        }
        break;
      }
      case 6: {  // transposed grid
        const std::int32_t y = (*this)(1, 6);
        for (std::int32_t j = 0; j < y; ++j) {
          for (std::int32_t i = 0; i < size / y; ++i) ranks.push_back(i * y + j);
        }
        break;
      }
      default: {  // range_excl
        const RankRange range{(*this)(0, size - 1), size - 1, (*this)(1, 4)};
        ranks = *all_but(size, *expand_ranges(size, {&range, 1}));
      }
    }
    return ranks;
  }

 private:
  std::mt19937 engine_;
};

void check_algebra(const Tracked& a, const Tracked& b, Draw& draw) {
  Members in_both;
  Members in_a;
  Members either = a.members;
  for (const Process p : a.members) (contains(b.members, p) ? in_both : in_a).push_back(p);
  for (const Process p : b.members) {
    if (!contains(a.members, p)) either.push_back(p);
  }
  BOOST_REQUIRE(picked(a.members, intersection(a.map, b.map)) == in_both);
  BOOST_REQUIRE(picked(a.members, difference(a.map, b.map)) == in_a);
  check_both_ways({set_union(a.map, b.map), either});

  const GroupRelation expected = a.members == b.members                                 ? GroupRelation::identical
                                 : in_a.empty() && a.members.size() == b.members.size() ? GroupRelation::similar
                                                                                        : GroupRelation::unequal;
  BOOST_REQUIRE((compare(a.map, b.map) == expected));

  Ranks asked;
  for (int i = 0; i < 20; ++i) asked.push_back(a.map.size() == 0 || draw(0, 9) == 0 ? -2 : draw(0, a.map.size() - 1));
  Ranks got(asked.size());
  BOOST_REQUIRE(translate(a.map, asked, b.map, kSentinels, got));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::int32_t there = -2;
    if (asked[i] >= 0) {
      there = place(b.members, a.members[static_cast<std::size_t>(asked[i])]);
      if (there < 0) there = kSentinels.undefined;
    }
    BOOST_REQUIRE(got[i] == there);
  }
}

}  // namespace

// The promise of issue 3: whatever a program derives, every form agrees with a plain table, on every rank, both ways.
BOOST_AUTO_TEST_CASE(all_forms_agree_with_a_plain_table_over_random_derivations) {
  const unsigned seed = std::random_device{}();
  BOOST_TEST_MESSAGE("seed " << seed);
  Draw seeds(seed);
  for (int trial = 0; trial < 60; ++trial) {
    const auto tree = static_cast<unsigned>(seeds(0, 1 << 30));
    for (const MapForm form : kTracked) {
      BOOST_TEST_CONTEXT("tree " << tree << " in form " << name(form)) {
        Draw draw(tree);
        const std::int32_t size = draw(1, 400);
        std::vector<Tracked> groups;
        for (std::int32_t g = 0; g < 2; ++g) {  // the world, and a group that was spawned or connected to
          const std::int32_t members = g == 0 ? size : draw(1, 30);
          Members all;
          for (std::int32_t lpid = 0; lpid < members; ++lpid) all.push_back({g, lpid});
          groups.push_back({RankMap::identity(g, members, form), all});
        }
        for (int step = 0; step < 12; ++step) {
          const Tracked& a = groups[static_cast<std::size_t>(draw(0, static_cast<std::int32_t>(groups.size()) - 1))];
          const Tracked& b = groups[static_cast<std::size_t>(draw(0, static_cast<std::int32_t>(groups.size()) - 1))];
          Tracked child;
          const int kind = draw(0, 9);
          if (kind == 0 &&
              difference(a.map, b.map).size() == static_cast<std::size_t>(a.map.size())) {  // Intercomm_merge
            child = {RankMap::concatenate(a.map, b.map), a.members};
            child.members.insert(child.members.end(), b.members.begin(), b.members.end());
          } else if (kind == 1) {
            const Ranks ranks = intersection(a.map, b.map);
            child = {a.map.derive(ranks), picked(a.members, ranks)};
          } else if (kind == 2) {
            const Ranks ranks = difference(a.map, b.map);
            child = {a.map.derive(ranks), picked(a.members, ranks)};
          } else if (a.map.size() > 0) {
            const Ranks ranks = draw.child(a.map.size());
            child = {a.map.derive(ranks), picked(a.members, ranks)};
          }
          check_both_ways(child);
          check_algebra(a, child, draw);
          check_algebra(child, b, draw);
          groups.push_back(child);
        }
      }
    }
  }
}

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
  for (const std::int32_t rank : {-1, 10, -32766}) BOOST_TEST(!translate(world, {&rank, 1}, world, kSentinels, out));
  const std::int32_t null = kSentinels.proc_null;
  BOOST_TEST(translate(world, {&null, 1}, world, kSentinels, out));
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
