#include "mapping/mappers.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "instances.h"
#include "mapping/metrics.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal::mapping;

namespace {

Metrics measured(const Problem& problem, std::span<const std::int32_t> node_of_cell) {
  return measure(problem.grid, problem.stencil, node_of_cell, problem.nodes());
}

void check_row(const Metrics& metrics, std::vector<std::int64_t> on, double on_average, std::vector<std::int64_t> off,
               double off_average) {
  BOOST_TEST(metrics.on_node.min == on[0]);
  BOOST_TEST(metrics.on_node.max == on[1]);
  BOOST_TEST(metrics.average(metrics.on_node) == on_average);
  BOOST_TEST(metrics.off_node.min == off[0]);
  BOOST_TEST(metrics.off_node.max == off[1]);
  BOOST_TEST(metrics.average(metrics.off_node) == off_average);
}

// Jsum against the given order, in thousandths.
std::int64_t thousandths(const Problem& problem, const MapperResult& result) {
  BOOST_REQUIRE_MESSAGE(result.applies(), result.why_not);
  const std::int64_t given = jsum_of(problem.grid, problem.stencil, problem.given);
  return (2000 * jsum_of(problem.grid, problem.stencil, result.node_of_cell) + given) / (2 * given);
}

bool fills_nodes(const Problem& problem, const MapperResult& result) {
  std::vector<std::int32_t> room = problem.capacity;
  if (static_cast<std::int64_t>(result.node_of_cell.size()) != problem.cells()) return false;
  return std::all_of(result.node_of_cell.begin(), result.node_of_cell.end(), [&](std::int32_t node) {
    return node >= 0 && node < problem.nodes() && room[static_cast<std::size_t>(node)]-- > 0;
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_slides_table_128x128_periodic_16_a_node) {
  const Problem problem = blocked_problem({128, 128}, {16}, true);
  check_row(measured(problem, problem.given), {1, 2}, 1.875, {2, 3}, 2.125);
  const MapperResult result = run_mapper(problem, Mapper::nodecart);
  BOOST_TEST(result.detail == "4x4 a node");
  check_row(measured(problem, result.node_of_cell), {2, 4}, 3.0, {0, 2}, 1.0);
}

BOOST_AUTO_TEST_CASE(the_slides_table_16x32x32_periodic_16_a_node) {
  const Problem problem = blocked_problem({16, 32, 32}, {16}, true);
  check_row(measured(problem, problem.given), {1, 2}, 1.875, {4, 5}, 4.125);
  check_row(measured(problem, run_mapper(problem, Mapper::nodecart).node_of_cell), {3, 4}, 3.5, {2, 3}, 2.5);
}

BOOST_AUTO_TEST_CASE(ties_of_nodecart_follow_the_option) {
  const Grid grid = make_grid(std::vector<int>{16, 32, 32}, std::vector<int>{1, 1, 1});
  BOOST_TEST((nodecart_brick(grid, 2, Ties::first) == std::vector<int>{1, 2, 1}));
  BOOST_TEST((nodecart_brick(grid, 2, Ties::last) == std::vector<int>{1, 1, 2}));
}

BOOST_AUTO_TEST_CASE(nodecart_names_the_reason_where_it_does_not_apply) {
  BOOST_TEST(run_mapper(blocked_problem({6, 8}, {24, 12, 12}), Mapper::nodecart).why_not ==
             "nodes differ in size (24 and 12 processes)");
  BOOST_TEST(run_mapper(blocked_problem({10, 21}, {9}), Mapper::nodecart).why_not ==
             "nodes differ in size (9 and 3 processes)");
  const Grid grid = make_grid(std::vector<int>{4, 6}, std::vector<int>{0, 0});
  const Problem with_spares = make_problem(grid, star_stencil(2), blocked_nodes(32, {16}));
  BOOST_TEST(run_mapper(with_spares, Mapper::nodecart).why_not == "24 cells do not fill whole nodes of 16 processes");
  BOOST_TEST(!nodecart_brick(grid, 5).has_value());
  BOOST_TEST(run_mapper(blocked_problem({2, 15}, {6}), Mapper::nodecart).detail == "2x3 a node");
}

// The results of the published algorithms on these grids, from an independent implementation.
BOOST_AUTO_TEST_CASE(published_mappers_reach_what_was_measured_of_them) {
  struct Row {
    std::vector<int> dims;
    int node_size;
    std::vector<std::int64_t> weights;
    std::int64_t nodecart, hyperplane, strips;
  };
  const std::vector<Row> rows{{{50, 48}, 48, {}, 511, 282, 264},     {{16, 15, 10}, 48, {}, 635, 557, 635},
                              {{13, 11, 7}, 77, {}, 1000, 675, 556}, {{61, 59}, 61, {}, 1017, 567, 246},
                              {{256, 16}, 64, {}, 1889, 746, 746},   {{64, 64}, 64, {8, 1}, 125, 125, 125}};
  for (const Row& row : rows) {
    const Problem problem = blocked_problem(row.dims, {row.node_size}, false, row.weights);
    BOOST_TEST_CONTEXT(row.dims[0] << "x" << row.dims[1] << " … at " << row.node_size) {
      BOOST_TEST(thousandths(problem, run_mapper(problem, Mapper::nodecart)) == row.nodecart);
      BOOST_TEST(thousandths(problem, hyperplane(problem)) == row.hyperplane);
      BOOST_TEST(thousandths(problem, strips(problem)) == row.strips);
    }
  }
}

BOOST_AUTO_TEST_CASE(names_of_mappers_are_read_and_others_refused) {
  for (const MapperRow& row : mapper_table)
    if (row.by_name)
      BOOST_TEST((parse_mapper(row.name) == row.mapper));
    else
      BOOST_CHECK_THROW(parse_mapper(row.name), std::invalid_argument);
  BOOST_CHECK_THROW(parse_mapper(""), std::invalid_argument);
  BOOST_TEST(mapper_names(", ") == "nodecart, hyperplane, kdtree, strips, search, best");
}

BOOST_AUTO_TEST_CASE(every_mapper_fills_nodes_and_never_overfills_them) {
  marshal::UniformDraw pick(4);
  for (int round = 0; round < 300; ++round) {
    std::vector<int> dims, periods, sizes;
    for (int d = pick(0, 4); d > 0; --d) {
      dims.push_back(pick(round % 40 == 0 ? 0 : 1, 9));
      periods.push_back(pick(0, 1));
    }
    for (int kinds = pick(1, 3); kinds > 0; --kinds) sizes.push_back(pick(1, 12));
    Grid grid = make_grid(dims, periods);
    std::vector<std::int32_t> node_of_rank = blocked_nodes(grid.cells() + pick(0, 10), sizes);
    if (pick(0, 2) == 0) std::shuffle(node_of_rank.begin(), node_of_rank.end(), pick.engine());
    const Problem problem = make_problem(grid, star_stencil(grid.ndims()), node_of_rank);
    for (const MapperRow& row : mapper_table)
      if (row.place != nullptr) {
        const MapperResult result = run_mapper(problem, row.mapper);
        BOOST_REQUIRE(fills_nodes(problem, result) || (row.nodes == Nodes::equal && !result.why_not.empty()));
      }
    for (const NodeOrder order :
         {NodeOrder::as_given, NodeOrder::descending, NodeOrder::ascending, NodeOrder::commonest_first})
      for (const SnakeShape& shape : promising_shapes(problem, 10)) {
        MapperResult result;
        result.node_of_cell.assign(static_cast<std::size_t>(problem.cells()), -1);
        walk_snake(problem.grid, shape, node_shares(problem, order), result.node_of_cell);
        BOOST_REQUIRE(fills_nodes(problem, result));
      }
  }
}
