#include "mapping/metrics.h"

#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "instances.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal::mapping;

namespace {

// The definitions, word by word.
Metrics by_definition(const Grid& grid, const Stencil& stencil, const std::vector<std::int32_t>& node,
                      std::int32_t nodes) {
  Metrics metrics;
  metrics.cells = grid.cells();
  std::vector<std::int64_t> leaving(static_cast<std::size_t>(nodes));
  const auto strides = row_major_strides(grid);
  std::vector<int> at(grid.dims.size());
  for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
    coordinates_of(grid, cell, at);
    std::int64_t on = 0, off = 0, weight = 0;
    for (const Step& step : stencil.steps) {
      std::int64_t partner = 0;
      bool exists = true;
      for (std::size_t d = 0; d < at.size(); ++d) {
        int to = at[d] + step.offset[d];
        if (grid.periodic[d]) to = ((to % grid.dims[d]) + grid.dims[d]) % grid.dims[d];
        if (to < 0 || to >= grid.dims[d]) exists = false;
        partner += to * strides[d];
      }
      if (!exists || partner == cell) continue;
      weight += step.weight;
      if (node[static_cast<std::size_t>(cell)] == node[static_cast<std::size_t>(partner)]) {
        ++on;
      } else {
        ++off;
        metrics.jsum += step.weight;
        leaving[static_cast<std::size_t>(node[static_cast<std::size_t>(cell)])] += step.weight;
      }
    }
    const auto count = [&](PartnerCount& partners, std::int64_t here) {
      partners.min = cell == 0 ? here : std::min(partners.min, here);
      partners.max = std::max(partners.max, here);
      partners.sum += here;
    };
    count(metrics.on_node, on);
    count(metrics.off_node, off);
    metrics.most_partners = std::max(metrics.most_partners, on + off);
    metrics.most_weight = std::max(metrics.most_weight, weight);
  }
  for (const std::int64_t sum : leaving) metrics.jmax = std::max(metrics.jmax, sum);
  return metrics;
}

}  // namespace

BOOST_AUTO_TEST_CASE(metrics_agree_with_their_definitions_on_random_grids_and_stencils) {
  marshal::UniformDraw pick(20261121);
  for (int round = 0; round < 400; ++round) {
    const int ndims = pick(0, 4);
    std::vector<int> dims, periods;
    for (int d = 0; d < ndims; ++d) {
      dims.push_back(pick(round % 50 == 0 ? 0 : 1, 7));
      periods.push_back(pick(0, 1));
    }
    const Grid grid = make_grid(dims, periods);
    Stencil stencil = pick(0, 1) != 0 ? star_stencil(ndims) : box_stencil(ndims);
    for (int extra = ndims == 0 ? 0 : pick(0, 3); extra > 0; --extra) {
      Step step{std::vector<int>(static_cast<std::size_t>(ndims)), pick(1, 9)};
      for (int& offset : step.offset) offset = pick(-9, 9);
      step.offset[0] = step.offset[0] == 0 ? 1 : step.offset[0];
      if (round % 3 == 0) step.weight <<= 32;
      stencil.steps.push_back(step);
    }
    const int nodes = pick(1, 6);
    std::vector<std::int32_t> node(static_cast<std::size_t>(grid.cells()));
    for (auto& n : node) n = pick(0, nodes - 1);
    BOOST_REQUIRE((measure(grid, stencil, node, nodes) == by_definition(grid, stencil, node, nodes)));
  }
}

BOOST_AUTO_TEST_CASE(a_limit_stops_the_count_only_above_it) {
  const Problem problem = blocked_problem({50, 48}, {48});
  const std::int64_t jsum = jsum_of(problem.grid, problem.stencil, problem.given);
  BOOST_TEST(jsum == 4704);
  BOOST_TEST(jsum_up_to(problem.grid, problem.stencil, problem.given, jsum) == jsum);
  BOOST_TEST(jsum_up_to(problem.grid, problem.stencil, problem.given, 100) > 100);
}

BOOST_AUTO_TEST_CASE(a_grid_is_checked) {
  const std::vector<int> one{1}, huge{70000, 70000}, negative{4, -1}, two{0, 0},
      empty_huge{70000, 0, 70000, 70000, 70000}, five(5);
  BOOST_CHECK_THROW(make_grid(huge, two), std::invalid_argument);
  BOOST_CHECK_THROW(make_grid(negative, two), std::invalid_argument);
  BOOST_CHECK_THROW(make_grid(huge, one), std::invalid_argument);
  BOOST_TEST(make_grid(empty_huge, five).cells() == 0);
  BOOST_TEST(make_grid({}, {}).cells() == 1);
}
