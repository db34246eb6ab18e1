#include "rankmap/sparse_formats.h"

#include <boost/test/unit_test.hpp>
#include <numeric>
#include <vector>

using namespace marshal;

namespace {

std::vector<std::int32_t> ranks(std::int32_t first, std::int32_t stride, std::int32_t count) {
  std::vector<std::int32_t> list;
  for (std::int32_t i = 0; i < count; ++i) list.push_back(first + i * stride);
  return list;
}

}  // namespace

BOOST_AUTO_TEST_CASE(estimates_are_those_of_table_1) {
  const SparseEstimates column = sparse_estimates(90000, ranks(7, 300, 300));
  BOOST_TEST(column.plist == 2400);
  BOOST_TEST(column.range == 2400);
  BOOST_TEST(column.strided.value() == 12);
  BOOST_TEST(column.bitmap.value() == 11250);
  const std::vector<std::int32_t> backwards{5, 3, 1};
  BOOST_TEST(!sparse_estimates(10, backwards).bitmap);
  const std::vector<std::int32_t> uneven{0, 1, 5};
  BOOST_TEST(!sparse_estimates(10, uneven).strided);
}

BOOST_AUTO_TEST_CASE(hpl_on_300_by_300_takes_724800_bytes_dense_and_28_sparse) {
  // A duplicate of the world, the row and the column of a process.
  const auto world = ranks(0, 1, 90000);
  const auto row = ranks(600, 1, 300);
  const auto column = ranks(7, 300, 300);
  std::int64_t dense = 0;
  std::int64_t sparse = 0;
  for (const auto* group : {&world, &row, &column}) {
    const SparseEstimates bytes = sparse_estimates(90000, *group);
    dense += bytes.plist;
    sparse +=
        std::min({bytes.plist, bytes.range, bytes.strided.value_or(bytes.plist), bytes.bitmap.value_or(bytes.plist)});
  }
  BOOST_TEST(dense == 724800);
  BOOST_TEST(sparse == 28);
}

BOOST_AUTO_TEST_CASE(the_least_memory_wins_and_what_cannot_be_said_is_a_list) {
  BOOST_TEST((sparse_format(MapForm::sparse, 90000, ranks(0, 1, 90000)) == MapForm::range));
  BOOST_TEST((sparse_format(MapForm::sparse, 90000, ranks(7, 300, 300)) == MapForm::strided));
  BOOST_TEST((sparse_format(MapForm::sparse, 40, std::vector<std::int32_t>{0, 1, 5, 6, 9}) == MapForm::bitmap));
  BOOST_TEST((sparse_format(MapForm::sparse, 4000, std::vector<std::int32_t>{9, 1, 5}) == MapForm::plist));
  BOOST_TEST((sparse_format(MapForm::strided, 40, std::vector<std::int32_t>{0, 1, 5}) == MapForm::plist));
  BOOST_TEST((sparse_format(MapForm::bitmap, 40, std::vector<std::int32_t>{5, 1}) == MapForm::plist));
}

BOOST_AUTO_TEST_CASE(chains_reach_the_processes_through_every_generation) {
  for (const MapForm form : {MapForm::range, MapForm::strided, MapForm::bitmap, MapForm::sparse}) {
    RankMap map = RankMap::identity(0, 256, form);
    for (std::int32_t stride = 2; stride <= 64; stride *= 2) {
      map = map.derive(ranks(1, 2, map.size() / 2));
      if (form != MapForm::sparse) BOOST_TEST(map.model() == name(form));
      for (std::int32_t r = 0; r < map.size(); ++r) {
        BOOST_REQUIRE((map.process(r) == Process{0, stride - 1 + r * stride}));
        BOOST_REQUIRE(map.rank_of({0, stride - 1 + r * stride}) == r);
      }
      BOOST_REQUIRE(map.rank_of({0, 0}) == -1);
    }
  }
}
