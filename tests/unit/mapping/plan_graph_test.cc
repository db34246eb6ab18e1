#include "mapping/plan_graph.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <stdexcept>

#include "tests/unit/property_seed.h"

using namespace marshal::mapping;

namespace {

// The nodes of vertices 0 … count-1, where the ranks are dealt out over the nodes.
std::vector<std::int32_t> dealt_out(std::int32_t count, std::int32_t nodes) {
  std::vector<std::int32_t> list;
  for (std::int32_t rank = 0; rank < count; ++rank) list.push_back(rank % nodes);
  return list;
}

std::vector<Sent> ring(std::int32_t count) {
  std::vector<Sent> edges;
  for (std::int32_t v = 0; v < count; ++v) {
    edges.push_back({v, (v + 1) % count, 1});
    edges.push_back({v, (v + count - 1) % count, 1});
  }
  return edges;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_ring_dealt_out_over_nodes_becomes_arcs) {
  const auto nodes = dealt_out(12, 3);
  const auto edges = ring(12);
  const GraphOrder order = plan_graph({edges, nodes, {}});
  BOOST_TEST(order.moved);
  BOOST_TEST(order.before.jsum == 24);
  BOOST_TEST(order.after.jsum == 6);  // each of 3 arcs has 2 ends, in both directions
  BOOST_TEST(order.after.jmax == 2);
  BOOST_TEST(order.old_rank[0] == 0);
  BOOST_TEST(order.after.on_node.max == 2);
  BOOST_TEST(order.after.off_node.max == 1);
}

BOOST_AUTO_TEST_CASE(nobody_moves_for_less_than_the_least_gain) {
  const auto nodes = dealt_out(12, 3);
  const auto edges = ring(12);
  const GraphOrder order = plan_graph({edges, nodes, {}, 80.0});
  BOOST_TEST(!order.moved);
  BOOST_TEST(order.reason == "a gain of 75.00 % is below the least gain of 80 %");
  const std::vector<std::int32_t> blocks{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  BOOST_TEST(plan_graph({edges, blocks, {}}).reason == "no better order found");
}

BOOST_AUTO_TEST_CASE(heavy_edges_share_a_node) {
  // Pairs (0, 3), (1, 4), (2, 5) exchange much.
  const std::vector<Sent> edges{{0, 1, 1}, {1, 2, 1}, {0, 3, 50}, {1, 4, 50}, {2, 5, 50}};
  const std::vector<std::int32_t> nodes{0, 0, 1, 1, 2, 2};
  const GraphOrder order = plan_graph({edges, nodes, {}});
  BOOST_TEST(order.after.jsum == 2);
}

BOOST_AUTO_TEST_CASE(any_graph_gets_a_permutation_that_is_not_worse) {
  std::mt19937 random(marshal::property_seed());
  for (int run = 0; run < 40; ++run) {
    const auto count = static_cast<std::int32_t>(1 + random() % 40);
    std::vector<std::int32_t> nodes;
    for (std::int32_t rank = 0; rank < count; ++rank) nodes.push_back(static_cast<std::int32_t>(random() % 5));
    std::vector<Sent> edges;
    for (auto left = random() % 200; left > 0; --left)
      edges.push_back({static_cast<std::int32_t>(random() % static_cast<unsigned>(count)),
                       static_cast<std::int32_t>(random() % static_cast<unsigned>(count)),
                       static_cast<std::int64_t>(random() % 4)});
    GraphRequest request{edges, nodes, {}};
    request.looks = 200'000;
    const GraphOrder order = plan_graph(request);
    BOOST_TEST(order.after.jsum <= order.before.jsum);
    for (std::int32_t vertex = 0; vertex < count; ++vertex)
      BOOST_TEST(order.new_rank[static_cast<std::size_t>(order.old_rank[static_cast<std::size_t>(vertex)])] == vertex);
    BOOST_TEST((plan_graph(request).old_rank == order.old_rank));
  }
}

BOOST_AUTO_TEST_CASE(edges_of_vertices_that_do_not_exist_are_refused) {
  const std::vector<Sent> edges{{0, 7, 1}};
  const std::vector<std::int32_t> nodes{0, 1};
  BOOST_CHECK_THROW(plan_graph({edges, nodes, {}}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_graph_without_vertices_or_edges_stays) {
  BOOST_TEST(!plan_graph({{}, {}, {}}).moved);
  const std::vector<std::int32_t> nodes{0, 1, 0};
  BOOST_TEST(!plan_graph({{}, nodes, {}}).moved);
}
