#include "mapping/lower_bound.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "instances.h"
#include "mapping/annealing.h"
#include "mapping/metrics.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal::mapping;

// The lower bounds of these grids, worked out by hand, as thousandths of the given order's Jsum.
BOOST_AUTO_TEST_CASE(the_bound_of_known_grids_is_as_computed_by_hand) {
  const auto thousandths = [](const Problem& problem) {
    const std::int64_t given = jsum_of(problem.grid, problem.stencil, problem.given);
    return (2000 * jsum_lower_bound(problem) + given) / (2 * given);
  };
  BOOST_TEST(thousandths(blocked_problem({50, 48}, {48})) == 256);
  BOOST_TEST(thousandths(blocked_problem({16, 15, 10}, {48})) == 527);
  // 8x8 bricks on 256x16: (256/8 - 1) * 16 + 256 pairs each way, and no assignment is better.
  BOOST_TEST(jsum_lower_bound(blocked_problem({256, 16}, {64})) == 2 * (31 * 16 + 256));
}

BOOST_AUTO_TEST_CASE(no_assignment_found_is_below_the_bound) {
  marshal::UniformDraw pick(77);
  for (int round = 0; round < 300; ++round) {
    std::vector<int> dims, periods, sizes;
    for (int d = pick(1, 4); d > 0; --d) {
      dims.push_back(pick(1, 8));
      periods.push_back(pick(0, 1));
    }
    for (int kinds = pick(1, 3); kinds > 0; --kinds) sizes.push_back(pick(1, 16));
    const Grid grid = make_grid(dims, periods);
    std::vector<std::int64_t> weights;
    for (std::size_t d = 0; d < dims.size(); ++d) weights.push_back(pick(1, 5));
    Stencil stencil = star_stencil(grid.ndims(), weights);
    if (pick(0, 2) == 0) stencil = hops_stencil(grid.ndims(), pick(1, 3), weights);
    if (pick(0, 3) == 0) stencil = box_stencil(grid.ndims(), weights);
    const Problem problem = make_problem(grid, stencil, blocked_nodes(grid.cells() + pick(0, 5), sizes));
    AnnealingPlan plan;
    plan.exchanges = 20000;
    const auto found = anneal(NeighbourLists(grid, stencil), problem.capacity, problem.given, plan);
    const std::int64_t jsum = jsum_of(grid, stencil, found);
    BOOST_REQUIRE(jsum <= jsum_of(grid, stencil, problem.given));
    BOOST_REQUIRE(jsum_lower_bound(problem) <= jsum);
  }
}
