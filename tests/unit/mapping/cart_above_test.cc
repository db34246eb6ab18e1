#include "mapping/cart_above.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "mapping/plan_cart.h"
#include "mapping/plan_graph.h"
#include "tests/unit/mapping/instances.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal;
using namespace marshal::mapping;

namespace {

using Numbers = std::vector<std::int32_t>;

// For each rank the domain of its node.
DomainLevel level_of(const Numbers& node_of_rank, const Numbers& domain_of_node) {
  DomainLevel level{"switches", {}};
  for (const std::int32_t node : node_of_rank)
    level.domain_of_rank.push_back(domain_of_node[static_cast<std::size_t>(node)]);
  return level;
}

CartRequest request_for(const std::vector<int>& dims, const Numbers& node_of_rank, const Numbers& domain_of_node) {
  CartRequest request;
  request.grid = make_grid(dims, std::vector<int>(dims.size(), 0));
  request.stencil = star_stencil(static_cast<int>(dims.size()));
  request.node_of_rank = node_of_rank;
  request.above = {level_of(node_of_rank, domain_of_node)};
  return request;
}

bool is_permutation_of_ranks(Numbers ranks) {
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != static_cast<std::int32_t>(i)) return false;
  return true;
}

Numbers domains_of(const Numbers& node_of_cell, const Numbers& domain_of_node) {
  Numbers domains;
  for (const std::int32_t node : node_of_cell) domains.push_back(domain_of_node[static_cast<std::size_t>(node)]);
  return domains;
}

}  // namespace

BOOST_AUTO_TEST_CASE(whole_nodes_trade_places_where_nothing_else_can_be_gained) {
  const Numbers nodes = blocked_nodes(16, {4});
  const Mapping mapping = plan_cart(request_for({8, 2}, nodes, {0, 1, 0, 1}));
  BOOST_TEST(mapping.moved);
  BOOST_TEST((mapping.before == mapping.after));
  BOOST_TEST((mapping.winner == Mapper::levels));
  BOOST_TEST(mapping.detail == "whole nodes moved");
  BOOST_TEST((mapping.above == std::vector<AboveGain>{{"switches", {12, 6}, {4, 2}}}));
  BOOST_TEST(mapping.new_rank[0] == 0);
  BOOST_TEST(is_permutation_of_ranks(mapping.new_rank));
}

BOOST_AUTO_TEST_CASE(the_order_given_stays_where_it_was_asked_for) {
  const Numbers nodes = blocked_nodes(16, {4});
  CartRequest request = request_for({8, 2}, nodes, {0, 1, 0, 1});
  request.rules.mapper = Mapper::given;
  BOOST_TEST(!plan_cart(request).moved);
}

BOOST_AUTO_TEST_CASE(a_graph_is_fitted_to_the_levels_as_a_grid_is) {
  const Numbers nodes = blocked_nodes(16, {4});
  std::vector<Sent> edges;
  for (std::int32_t vertex = 0; vertex + 1 < 16; ++vertex) {
    edges.push_back({vertex, vertex + 1, 1});
    edges.push_back({vertex + 1, vertex, 1});
  }
  const std::vector<DomainLevel> above{level_of(nodes, {0, 1, 0, 1})};
  const GraphOrder order = plan_graph({edges, nodes, {}, 0, 1'000'000, above});
  BOOST_TEST(order.moved);
  BOOST_TEST(order.after.jsum == 6);
  BOOST_TEST((order.above == std::vector<AboveGain>{{"switches", {6, 3}, {2, 1}}}));
}

// Property: neither nodes nor any level above has a larger sum or a busier part than in the order given. Nor is a sum
// larger by a stencil that the traffic may have instead.
BOOST_AUTO_TEST_CASE(no_level_of_a_grid_is_ever_worse_than_in_the_order_given) {
  UniformDraw draw(property_seed());
  for (int round = 0; round < 150; ++round) {
    std::vector<int> dims, periods;
    for (int d = draw(1, 3); d > 0; --d) {
      dims.push_back(draw(1, 6));
      periods.push_back(draw(0, 1));
    }
    CartRequest request;
    request.grid = make_grid(dims, periods);
    std::vector<std::int64_t> weights;
    for (std::size_t d = 0; d < dims.size(); ++d) weights.push_back(draw(1, 9));
    request.stencil = star_stencil(static_cast<int>(dims.size()), weights);
    std::vector<int> sizes;
    for (int i = draw(1, 3); i > 0; --i) sizes.push_back(draw(1, 8));
    Numbers nodes = blocked_nodes(request.grid.cells() + draw(0, 2), sizes);
    if (draw(0, 1) == 1) std::shuffle(nodes.begin(), nodes.end(), draw.engine());
    const NumberedNodes numbered(nodes);
    for (int level = draw(1, 2); level > 0; --level) {
      Numbers of_node;
      for (std::size_t node = 0; node < numbered.capacity.size(); ++node) of_node.push_back(draw(0, 2));
      request.above.push_back(level_of(numbered.of_rank, of_node));
    }
    request.node_of_rank = nodes;
    request.rules.exchanges = 20'000;
    request.min_gain_percent = 0;
    if (draw(0, 1) == 1) request.rules.no_worse_by = one_by_one(request.stencil);
    const Mapping mapping = plan_cart(request);
    BOOST_TEST_REQUIRE(is_permutation_of_ranks(mapping.new_rank));
    BOOST_TEST_REQUIRE(mapping.after.jsum <= mapping.before.jsum);
    BOOST_TEST_REQUIRE(mapping.after.jmax <= mapping.before.jmax);
    for (const AboveGain& level : mapping.above) {
      BOOST_TEST_REQUIRE(level.after.jsum <= level.before.jsum);
      BOOST_TEST_REQUIRE(level.after.jmax <= level.before.jmax);
    }
    // Counted by the ranks, as the program will have them.
    Numbers given(static_cast<std::size_t>(request.grid.cells())), now = given;
    for (std::size_t cell = 0; cell < given.size(); ++cell) {
      given[cell] = numbered.of_rank[cell];
      now[cell] = numbered.of_rank[static_cast<std::size_t>(mapping.old_rank[cell])];
    }
    BOOST_TEST_REQUIRE((now == mapping.node_of_cell));
    for (const Stencil& stencil : request.rules.no_worse_by) {
      BOOST_TEST_REQUIRE(jsum_of(request.grid, stencil, now) <= jsum_of(request.grid, stencil, given));
      const Numbers& outermost = request.above.front().domain_of_rank;
      Numbers domain_of_node(numbered.capacity.size());
      for (std::size_t rank = 0; rank < outermost.size(); ++rank)
        domain_of_node[static_cast<std::size_t>(numbered.of_rank[rank])] = outermost[rank];
      BOOST_TEST_REQUIRE(jsum_of(request.grid, stencil, domains_of(now, domain_of_node)) <=
                         jsum_of(request.grid, stencil, domains_of(given, domain_of_node)));
    }
  }
}
