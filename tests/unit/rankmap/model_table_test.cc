
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "rankmap/rank_map.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal;
using enum RankmapModel;

BOOST_AUTO_TEST_CASE(the_state_machine_is_table_2) {
  const RankmapModel columns[] = {direct, offset, stride, lut};
  const struct {
    RankmapModel parent;
    RankmapModel children[4];
  } rows[] = {
      {direct, {direct, offset, stride, lut}}, {offset, {offset, offset, stride, lut}},
      {stride, {stride, lut, lut, lut}},       {lut, {lut, lut, lut, lut}},
      {mlut, {mlut, mlut, mlut, mlut}},
  };
  for (const auto& row : rows) {
    for (int c = 0; c < 4; ++c) BOOST_TEST((child_model(row.parent, columns[c]).model == row.children[c]));
  }
  // The starred entries point to the parent's table.
  for (const RankmapModel parent : {lut, mlut}) {
    BOOST_TEST(child_model(parent, direct).shares_table);
    BOOST_TEST(child_model(parent, offset).shares_table);
    BOOST_TEST(!child_model(parent, lut).shares_table);
  }
}

BOOST_AUTO_TEST_CASE(every_model_of_the_paper_is_reached) {
  const auto shuffled = UniformDraw(11).shuffled(120);
  const RankMap world = RankMap::identity(0, 120, MapForm::rankmap);
  const RankMap irregular = world.derive(shuffled);
  // Two processes of another group among them, so that the parts of it that the tests take are irregular.
  std::vector<Process> mixed;
  for (std::int32_t r = 0; r < 120; ++r) mixed.push_back({r % 7 == 0 ? 1 : 0, shuffled[static_cast<std::size_t>(r)]});
  const RankMap several = RankMap::from_processes(mixed, MapForm::rankmap);
  BOOST_TEST(irregular.model() == "lut");
  BOOST_TEST(several.model() == "mlut");

  const StridedBlocks::Digit plane[] = {{4, 1}, {5, 10}};
  const StridedBlocks::Digit cube[] = {{2, 1}, {3, 5}, {4, 30}};
  const struct {
    StridedBlocks ranks;
    const char* of_world;
    const char* of_lut;
    const char* of_mlut;
  } cases[] = {
      {StridedBlocks::linear(0, 1, 60), "direct", "lut", "mlut"},
      {StridedBlocks::linear(60, 1, 60), "offset", "lut", "mlut"},
      {StridedBlocks::linear(1, 2, 60), "stride", "lut-stride", "mlut-stride"},
      {*StridedBlocks::from_digits(3, plane, 20), "blockstride", "lut-blockstride", "mlut-blockstride"},
      {*StridedBlocks::from_digits(3, cube, 24), "md-blockstride", "lut-md-blockstride", "mlut-md-blockstride"},
  };
  for (const auto& c : cases) {
    BOOST_TEST(world.derive(c.ranks).model() == c.of_world);
    BOOST_TEST(irregular.derive(c.ranks).model() == c.of_lut);
    BOOST_TEST(several.derive(c.ranks).model() == c.of_mlut);
    BOOST_TEST(irregular.derive(c.ranks).table() == irregular.table());
  }
}

BOOST_AUTO_TEST_CASE(the_second_scan_makes_irregular_children_regular_again) {
  const auto shuffled = UniformDraw(12).shuffled(64);
  const RankMap irregular = RankMap::identity(0, 64, MapForm::rankmap).derive(shuffled);
  std::vector<std::int32_t> back(64);
  for (std::int32_t r = 0; r < 64; ++r) back[static_cast<std::size_t>(shuffled[static_cast<std::size_t>(r)])] = r;
  BOOST_TEST(irregular.derive(back).model() == "direct");
  // A stride of a stride: lut by Table II, a stride when scanned.
  const RankMap odd = RankMap::identity(0, 64, MapForm::rankmap).derive(StridedBlocks::linear(1, 2, 32));
  BOOST_TEST(odd.derive(StridedBlocks::linear(1, 2, 16)).model() == "stride");
}
