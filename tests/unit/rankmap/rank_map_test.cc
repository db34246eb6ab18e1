#include "rankmap/rank_map.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "base/options.h"
#include "rankmap/memory_model.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal;

namespace {

constexpr MapForm forms_tracked[] = {MapForm::blocks,  MapForm::rankmap, MapForm::plist,  MapForm::range,
                                     MapForm::strided, MapForm::bitmap,  MapForm::sparse, MapForm::lut};

void check_both_ways(const RankMap& map, const std::vector<Process>& expected) {
  BOOST_REQUIRE(map.size() == static_cast<std::int32_t>(expected.size()));
  for (std::int32_t r = 0; r < map.size(); ++r) {
    BOOST_REQUIRE((map.process(r) == expected[static_cast<std::size_t>(r)]));
    BOOST_REQUIRE(map.rank_of(expected[static_cast<std::size_t>(r)]) == r);
  }
  BOOST_REQUIRE(map.processes() == expected);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_settings_words_are_the_forms_in_their_order) {
  auto words = words_of(row(Option::rankmap));
  BOOST_TEST(words.back() == "derived");  // a way to come by maps, not a form
  words.pop_back();
  BOOST_TEST(std::equal(words.begin(), words.end(), map_form_names.begin(), map_form_names.end()));
}

BOOST_AUTO_TEST_CASE(the_world_and_its_halves) {
  for (const MapForm form : forms_tracked) {
    BOOST_TEST_CONTEXT(name(form)) {
      const RankMap world = RankMap::identity(0, 100, form);
      std::vector<Process> all;
      std::vector<std::int32_t> odd;
      std::vector<Process> odd_processes;
      for (std::int32_t r = 0; r < 100; ++r) {
        all.push_back({0, r});
        if (r % 2 == 1) odd.push_back(r), odd_processes.push_back({0, r});
      }
      check_both_ways(world, all);
      const RankMap half = world.derive(odd);
      check_both_ways(half, odd_processes);
      BOOST_TEST(half.rank_of({0, 2}) == -1);
      BOOST_TEST(half.rank_of({1, 1}) == -1);
      BOOST_TEST(half.rank_of({0, 1000}) == -1);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_regular_communicator_takes_one_cache_line) {
  const RankMap world = RankMap::identity(0, 786432, MapForm::blocks);
  BOOST_TEST(world.bytes() == 64U);
  BOOST_TEST(world.derive(StridedBlocks::linear(1, 2, 393216)).bytes() == 64U);
}

BOOST_AUTO_TEST_CASE(a_grid_in_the_order_of_its_nodes_takes_as_many_bytes_at_any_size) {
  // Nodes have blocks of b × a cells of a grid of y × x; the processes of a node are consecutive.
  const auto by_nodes = [](std::int32_t y, std::int32_t x, std::int32_t b, std::int32_t a) {
    std::vector<std::int32_t> ranks;
    for (std::int32_t i = 0; i < y; ++i)
      for (std::int32_t j = 0; j < x; ++j) ranks.push_back(((i / b * (x / a) + j / a) * b + i % b) * a + j % a);
    return ranks;
  };
  for (const MapForm form : {MapForm::blocks, MapForm::rankmap}) {
    const RankMap small = RankMap::identity(0, 16, form).derive(by_nodes(4, 4, 2, 2));
    const RankMap large = RankMap::identity(0, 1 << 20, form).derive(by_nodes(1024, 1024, 4, 8));
    for (const RankMap& map : {small, large}) {
      BOOST_TEST(map.model() == "md-blockstride");
      BOOST_TEST(map.constant_size());
      BOOST_TEST(map.bytes() <= 256U);
    }
  }
  const auto shuffled = UniformDraw(3).shuffled(1000);
  const RankMap irregular = RankMap::identity(0, 1000, MapForm::blocks).derive(shuffled);
  BOOST_TEST(!irregular.constant_size());
  BOOST_TEST(!irregular.shares_table());
  const RankMap copy = irregular;
  BOOST_TEST(copy.shares_table());
}

BOOST_AUTO_TEST_CASE(untracked_maps_hold_nothing) {
  const RankMap world = RankMap::identity(0, 100, MapForm::off);
  BOOST_TEST(world.bytes() == 0U);
  BOOST_TEST(!world.tracked());
  BOOST_TEST(world.rank_of({0, 1}) == -1);
  BOOST_TEST(world.derive(StridedBlocks::linear(1, 2, 50)).size() == 50);
}

BOOST_AUTO_TEST_CASE(merged_groups_keep_both_numbers) {
  for (const MapForm form : forms_tracked) {
    BOOST_TEST_CONTEXT(name(form)) {
      const RankMap parents = RankMap::identity(0, 6, form);
      const RankMap children = RankMap::identity(3, 4, form);
      const RankMap merged = RankMap::concatenate(parents, children);
      check_both_ways(merged, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {3, 0}, {3, 1}, {3, 2}, {3, 3}});
      BOOST_TEST(merged.rank_of({1, 0}) == -1);
      const std::vector<std::int32_t> few{9, 1, 7};
      check_both_ways(merged.derive(few), {{3, 3}, {0, 1}, {3, 1}});
    }
  }
  // Two parts of one group that continue each other need no table.
  const RankMap even = RankMap::identity(0, 10, MapForm::blocks).derive(StridedBlocks::linear(0, 2, 5));
  const RankMap odd = RankMap::identity(0, 10, MapForm::blocks).derive(StridedBlocks::linear(1, 2, 5));
  BOOST_TEST(RankMap::concatenate(even, odd).bytes() == 64U);
}

BOOST_AUTO_TEST_CASE(models_have_the_papers_names) {
  const RankMap world = RankMap::identity(0, 64, MapForm::rankmap);
  BOOST_TEST(world.model() == "direct");
  BOOST_TEST(world.derive(StridedBlocks::linear(0, 1, 32)).model() == "direct");
  BOOST_TEST(world.derive(StridedBlocks::linear(32, 1, 32)).model() == "offset");
  BOOST_TEST(world.derive(StridedBlocks::linear(1, 2, 32)).model() == "stride");
  const StridedBlocks::Digit plane[] = {{4, 1}, {4, 8}};
  BOOST_TEST(world.derive(*StridedBlocks::from_digits(2, plane, 16)).model() == "blockstride");
  const StridedBlocks::Digit cube[] = {{2, 1}, {2, 4}, {2, 16}};
  BOOST_TEST(world.derive(*StridedBlocks::from_digits(0, cube, 8)).model() == "md-blockstride");
}

BOOST_AUTO_TEST_CASE(shares_of_a_table_add_up_to_it) {
  const auto shuffled = UniformDraw(7).shuffled(1000);
  const RankMap map = RankMap::from_lpids(0, shuffled, MapForm::lut);
  const std::size_t alone = map.bytes() - sizeof(RankMap);
  const RankMap copy = map;
  BOOST_TEST(copy.bytes() + map.bytes() == alone + 2 * sizeof(RankMap));
}

BOOST_AUTO_TEST_CASE(the_model_gives_the_published_exact_figures) {
  using namespace memory_model;
  constexpr std::int64_t mira = 786432;
  const Parameters bare{.vcrt_entry = 0};
  BOOST_TEST(base(Scheme::vc_vcrt, mira, bare) == std::int64_t{360} << 20);
  BOOST_TEST(base(Scheme::av_rankmap, mira) / (1 << 20) == 9);
  // 100 duplicates: virtual connections are "nearly 95%" of VC-VCRT's memory, with entries of 4 bytes.
  const Parameters four{.vcrt_entry = 4};
  const double total = static_cast<double>(base(Scheme::vc_vcrt, mira, four) +
                                           100 * added(Scheme::vc_vcrt, {.size = mira, .duplicate = true}, four));
  BOOST_TEST(static_cast<double>(mira * 480) / total > 0.93);
  // 100 splits of AV-Rankmap add next to nothing to its 9 MB.
  BOOST_TEST(100 * added(Scheme::av_rankmap, {.size = mira / 2}) < 32768);
}
