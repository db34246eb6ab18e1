#include "mapping/plan_cart.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "instances.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal::mapping;

namespace {

CartRequest request_for(const std::vector<int>& dims, const std::vector<std::int32_t>& node_of_rank) {
  CartRequest request;
  request.grid = make_grid(dims, std::vector<int>(dims.size(), 0));
  request.stencil = star_stencil(request.grid.ndims());
  request.node_of_rank = node_of_rank;
  request.rules.exchanges = 20'000;
  return request;
}

// A permutation of all ranks whose first cells() members hold the cells, on the nodes that the mapping says.
void check_consistent(const CartRequest& request, const Mapping& mapping) {
  std::vector<std::int32_t> sorted = mapping.new_rank;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int32_t> all(request.node_of_rank.size());
  std::iota(all.begin(), all.end(), 0);
  BOOST_REQUIRE(sorted == all);
  BOOST_REQUIRE(mapping.old_rank.size() == static_cast<std::size_t>(request.grid.cells()));
  for (std::size_t cell = 0; cell < mapping.old_rank.size(); ++cell) {
    const auto rank = static_cast<std::size_t>(mapping.old_rank[cell]);
    BOOST_REQUIRE(mapping.new_rank[rank] == static_cast<std::int32_t>(cell));
    for (std::size_t other = 0; other < cell; other += 7)
      BOOST_REQUIRE(
          (mapping.node_of_cell[cell] == mapping.node_of_cell[other]) ==
          (request.node_of_rank[rank] == request.node_of_rank[static_cast<std::size_t>(mapping.old_rank[other])]));
  }
  const std::int32_t nodes = *std::max_element(mapping.node_of_cell.begin(), mapping.node_of_cell.end()) + 1;
  BOOST_REQUIRE((measure(request.grid, request.stencil, mapping.node_of_cell, nodes) == mapping.after));
  BOOST_REQUIRE(mapping.after.jsum <= mapping.before.jsum);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_mapping_is_a_permutation_of_ranks_that_keeps_to_the_nodes) {
  marshal::UniformDraw pick(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> dims, sizes;
    for (int d = pick(0, 4); d > 0; --d) dims.push_back(pick(1, 8));
    for (int kinds = pick(1, 3); kinds > 0; --kinds) sizes.push_back(pick(1, 12));
    const std::int64_t cells = make_grid(dims, std::vector<int>(dims.size(), 0)).cells();
    std::vector<std::int32_t> node_of_rank = blocked_nodes(cells + pick(0, 9), sizes);
    if (pick(0, 1) == 0) std::shuffle(node_of_rank.begin(), node_of_rank.end(), pick.engine());
    for (auto& node : node_of_rank) node = node * 1000 - 7;  // any integers name nodes
    CartRequest request = request_for(dims, node_of_rank);
    request.rules.exchanges = 2'000;
    check_consistent(request, plan_cart(request));
  }
}

BOOST_AUTO_TEST_CASE(rank_0_keeps_cell_0_where_nodes_are_equal) {
  for (const std::vector<int>& dims : {std::vector<int>{8, 6}, {12, 8}, {4, 6, 4}, {20, 6}}) {
    for (const bool round_robin : {false, true}) {
      std::vector<std::int32_t> node_of_rank =
          blocked_nodes(make_grid(dims, std::vector<int>(dims.size())).cells(), {12});
      const auto nodes = static_cast<std::int32_t>(node_of_rank.size() / 12);
      if (round_robin)
        for (std::size_t r = 0; r < node_of_rank.size(); ++r) node_of_rank[r] = static_cast<std::int32_t>(r) % nodes;
      const Mapping mapping = plan_cart(request_for(dims, node_of_rank));
      BOOST_TEST(mapping.moved);
      BOOST_TEST(mapping.new_rank[0] == 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_moves_where_nothing_is_gained) {
  const auto stays = [](const std::vector<int>& dims, const std::vector<std::int32_t>& nodes, double min_gain = 1.0) {
    CartRequest request = request_for(dims, nodes);
    request.min_gain_percent = min_gain;
    const Mapping mapping = plan_cart(request);
    BOOST_TEST(!mapping.moved);
    BOOST_TEST(mapping.moved_ranks == 0);
    BOOST_TEST(!mapping.reason.empty());
    for (std::size_t r = 0; r < nodes.size(); ++r) BOOST_REQUIRE(mapping.new_rank[r] == static_cast<std::int32_t>(r));
    return mapping.reason;
  };
  BOOST_TEST(stays({6, 4}, blocked_nodes(24, {24})) == "no neighbours on different nodes");
  BOOST_TEST(stays({}, blocked_nodes(4, {2})) == "no neighbours on different nodes");
  BOOST_TEST(stays({0, 4}, blocked_nodes(4, {2})) == "no neighbours on different nodes");
  BOOST_TEST(stays({24}, blocked_nodes(24, {4})) == "no better order found");
  BOOST_TEST(stays({4, 6}, blocked_nodes(24, {1})) == "no better order found");
  BOOST_TEST(stays({8, 8}, blocked_nodes(64, {16}), 90.0).starts_with("a gain of"));
}

BOOST_AUTO_TEST_CASE(an_order_moves_where_it_is_better_by_jsum_or_at_equal_jsum_by_jmax) {
  Metrics before, after;
  before.jsum = before.jmax = 100;
  const auto decide = [&](std::int64_t jsum, std::int64_t jmax, double min_gain) {
    after.jsum = jsum;
    after.jmax = jmax;
    return why_not_worth(Mapper::best, before, after, min_gain);
  };
  BOOST_TEST(decide(100, 100, 0) == "no better order found");
  BOOST_TEST(decide(101, 1, 0) == "no better order found");
  BOOST_TEST(decide(100, 101, 0) == "no better order found");
  BOOST_TEST(decide(100, 90, 10).empty());
  BOOST_TEST(decide(90, 100, 10).empty());
  BOOST_TEST(decide(99, 80, 10).empty());
  BOOST_TEST(decide(99, 98, 5) == "a gain of 2.00 % is below the least gain of 5 %");
  BOOST_TEST(why_not_worth(Mapper::strips, before, before, 0) == "strips is not better than the given order");

  const auto nodes = blocked_nodes(16, {4});
  const Mapping mapping = plan_cart(request_for({4, 2, 2}, nodes));
  BOOST_TEST(mapping.moved);
  BOOST_TEST(mapping.after.jsum == mapping.before.jsum);
  BOOST_TEST(mapping.before.jmax == 8);
  BOOST_TEST(mapping.after.jmax == 6);
}

BOOST_AUTO_TEST_CASE(a_mapper_that_does_not_apply_or_does_worse_leaves_the_order_and_says_why) {
  const auto nodes = blocked_nodes(256 * 16, {64});
  CartRequest request = request_for({256, 16}, nodes);
  request.rules.mapper = Mapper::nodecart;
  const Mapping worse = plan_cart(request);
  BOOST_TEST(!worse.moved);
  BOOST_TEST(worse.reason == "nodecart is not better than the given order");
  const auto uneven = blocked_nodes(48, {20, 28});
  request = request_for({8, 6}, uneven);
  request.rules.mapper = Mapper::nodecart;
  BOOST_TEST(plan_cart(request).reason == "nodes differ in size (20 and 28 processes)");
}

BOOST_AUTO_TEST_CASE(too_few_processes_are_refused) {
  const auto nodes = blocked_nodes(8, {4});
  BOOST_CHECK_THROW(plan_cart(request_for({3, 3}, nodes)), std::invalid_argument);
}

// Counted independently: 50x48 at 48 a node with 2 packages 2400 -> 200, 64x60 at 96 with 8 domains
// 6720 -> 2880 (pairs, both directions, between domains of one node).
BOOST_AUTO_TEST_CASE(cells_of_a_node_are_divided_among_its_domains) {
  const auto with_domains = [](const std::vector<int>& dims, int node_size, int domains, Mapper mapper) {
    const std::int64_t cells = make_grid(dims, std::vector<int>(dims.size())).cells();
    static std::vector<std::int32_t> nodes;
    nodes = blocked_nodes(cells, {node_size});
    CartRequest request = request_for(dims, nodes);
    request.rules.mapper = mapper;
    DomainLevel level{"package", {}};
    for (std::int64_t r = 0; r < cells; ++r)
      level.domain_of_rank.push_back(static_cast<std::int32_t>(r % node_size * domains / node_size));
    request.levels.push_back(level);
    Mapping mapping = plan_cart(request);
    check_consistent(request, mapping);
    return mapping;
  };
  const Mapping two = with_domains({50, 48}, 48, 2, Mapper::nodecart);
  BOOST_TEST(two.after.jsum == 2404);
  BOOST_TEST(two.levels.at(0).after == 200);
  BOOST_TEST(two.new_rank[0] == 0);
  const Mapping eight = with_domains({64, 60}, 96, 8, Mapper::nodecart);
  BOOST_TEST(eight.levels.at(0).after <= 2880);
  // The node level is as good as without domains.
  const auto nodes = blocked_nodes(2400, {48});
  CartRequest plain = request_for({50, 48}, nodes);
  BOOST_TEST(with_domains({50, 48}, 48, 2, Mapper::best).after.jsum == plan_cart(plain).after.jsum);
}

BOOST_AUTO_TEST_CASE(domains_are_served_also_where_the_nodes_keep_their_cells) {
  // One node of two packages, ranks dealt to them in turns: halves are better.
  std::vector<std::int32_t> nodes(64, 3);
  CartRequest request = request_for({8, 8}, nodes);
  DomainLevel level{"package", {}};
  for (int r = 0; r < 64; ++r) level.domain_of_rank.push_back(r % 2);
  request.levels.push_back(level);
  const Mapping mapping = plan_cart(request);
  BOOST_TEST(mapping.moved);
  BOOST_TEST(mapping.new_rank[0] == 0);
  BOOST_TEST(mapping.levels.at(0).after == 16);
  check_consistent(request, mapping);
}
