#include "mapping/levels_above.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <stdexcept>

#include "mapping/plan_order.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal;
using namespace marshal::mapping;

namespace {

using Numbers = std::vector<std::int32_t>;

NeighbourLists ring(std::int32_t ranks) {
  std::vector<Sent> sent;
  for (std::int32_t rank = 0; rank < ranks; ++rank) sent.push_back({rank, (rank + 1) % ranks, 10});
  return {ranks, sent};
}

Numbers in_order(std::int32_t count) {
  Numbers numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// A machine with a random tree above its nodes, and random traffic between ranks that fill a part of it.
struct Instance {
  Numbers capacity, given;
  std::vector<NodeLevel> above;
  std::vector<Sent> sent;
  std::int32_t ranks = 0;
};

Instance draw_instance(UniformDraw& draw) {
  Instance of;
  const std::int32_t nodes = draw(2, 12), largest = draw(1, 5);
  const bool is_even = draw(0, 1) == 0;
  for (std::int32_t node = 0; node < nodes; ++node) of.capacity.push_back(is_even ? largest : draw(1, largest));
  for (std::int32_t level = draw(1, 3); level > 0; --level) {
    NodeLevel& one = of.above.emplace_back(NodeLevel{"level", {}});
    for (std::int32_t node = 0; node < nodes; ++node) one.domain_of_node.push_back(draw(0, 2));
  }
  const std::int32_t places = std::accumulate(of.capacity.begin(), of.capacity.end(), 0);
  of.given = in_order(places);
  std::shuffle(of.given.begin(), of.given.end(), draw.engine());
  of.ranks = std::max(1, places - draw(0, 2));
  of.given.resize(static_cast<std::size_t>(of.ranks));
  for (std::int32_t pairs = draw(0, 4 * of.ranks); pairs > 0; --pairs)
    of.sent.push_back({draw(0, of.ranks - 1), draw(0, of.ranks - 1), draw(0, 1000)});
  return of;
}

Numbers nodes_of(const Instance& of, const Numbers& places) {
  Numbers node_of_place, nodes;
  for (std::size_t node = 0; node < of.capacity.size(); ++node)
    node_of_place.insert(node_of_place.end(), static_cast<std::size_t>(of.capacity[node]),
                         static_cast<std::int32_t>(node));
  for (const std::int32_t place : places) nodes.push_back(node_of_place[static_cast<std::size_t>(place)]);
  return nodes;
}

OrderRules quick() {
  OrderRules rules;
  rules.with_scotch = false;
  rules.looks = 200'000;
  return rules;
}

}  // namespace

BOOST_AUTO_TEST_CASE(nodes_that_exchange_much_come_under_one_switch) {
  const Numbers capacity(4, 2);
  const LevelsAbove above(std::vector<NodeLevel>{{"switches", {0, 1, 0, 1}}}, capacity);
  const NeighbourLists line(4, std::vector<Sent>{{0, 1, 9}, {1, 2, 1}, {2, 3, 9}});
  BOOST_TEST((above.crossings(line, in_order(4)) == std::vector<Crossing>{{19, 19}}));
  const Numbers names = above.best_names(line);
  BOOST_TEST((above.crossings(line, names) == std::vector<Crossing>{{1, 1}}));
  BOOST_TEST(std::is_permutation(names.begin(), names.end(), in_order(4).begin()));
}

BOOST_AUTO_TEST_CASE(only_nodes_of_one_size_trade_places) {
  const LevelsAbove above(std::vector<NodeLevel>{{"switches", {0, 1, 0, 1}}}, Numbers{1, 2, 2, 1});
  const NeighbourLists line(4, std::vector<Sent>{{0, 1, 9}, {1, 2, 1}, {2, 3, 9}});
  const Numbers names = above.best_names(line);
  BOOST_TEST((names == Numbers{3, 1, 2, 0} || names == Numbers{0, 2, 1, 3}));
}

BOOST_AUTO_TEST_CASE(equal_domains_trade_names_so_that_ranks_stay) {
  const std::vector<NodeLevel> levels{{"racks", {0, 0, 0, 0, 1, 1, 1, 1}}, {"switches", {0, 0, 1, 1, 2, 2, 3, 3}}};
  const LevelsAbove above(levels, Numbers(8, 1));
  Numbers nodes{7, 6, 5, 4, 3, 2, 1, 0};  // the same tree with other names
  above.keep_in_place(in_order(8), nodes);
  BOOST_TEST(nodes == in_order(8), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_ring_dealt_out_over_two_switches_crosses_them_twice) {
  const NeighbourLists traffic = ring(16);
  const Numbers capacity(4, 4), given = in_order(16);
  const std::vector<NodeLevel> above{{"switches", {0, 1, 0, 1}}};
  const Order order = plan_order({traffic, capacity, given, {}, quick(), above});
  BOOST_TEST(order.before.between_nodes == 40);
  BOOST_TEST(order.after.between_nodes == 40);
  BOOST_TEST(order.above_before.front().between_nodes == 40);
  BOOST_TEST(order.above_after.front().between_nodes == 20);
  BOOST_TEST(order.moved);
}

BOOST_AUTO_TEST_CASE(a_level_that_is_not_one_of_all_nodes_is_refused) {
  BOOST_CHECK_THROW(LevelsAbove(std::vector<NodeLevel>{{"switches", {0, 1}}}, Numbers(3, 1)), std::invalid_argument);
}

// Property: at no level do more bytes cross, nor is a domain busier, than in the order given; and every node has as
// many ranks as it takes.
BOOST_AUTO_TEST_CASE(no_level_is_ever_worse_than_in_the_order_given) {
  UniformDraw draw(property_seed());
  for (int round = 0; round < 300; ++round) {
    const Instance of = draw_instance(draw);
    const NeighbourLists traffic(of.ranks, of.sent);
    const Order order = plan_order({traffic, of.capacity, of.given, {}, quick(), of.above});
    Numbers places = order.place_of_rank;
    std::sort(places.begin(), places.end());
    BOOST_TEST_REQUIRE((std::adjacent_find(places.begin(), places.end()) == places.end()));
    const Numbers before = nodes_of(of, of.given), after = nodes_of(of, order.place_of_rank);
    const auto nodes = static_cast<std::int32_t>(of.capacity.size());
    BOOST_TEST_REQUIRE((order.before == crossing_of(traffic, before, nodes)));
    BOOST_TEST_REQUIRE((order.after == crossing_of(traffic, after, nodes)));
    BOOST_TEST_REQUIRE(order.after.between_nodes <= order.before.between_nodes);
    BOOST_TEST_REQUIRE(order.after.busiest_node <= order.before.busiest_node);
    const LevelsAbove above(of.above, of.capacity);
    BOOST_TEST_REQUIRE((order.above_before == above.crossings(traffic, before)));
    BOOST_TEST_REQUIRE((order.above_after == above.crossings(traffic, after)));
    for (std::size_t level = 0; level < above.count(); ++level) {
      BOOST_TEST_REQUIRE(order.above_after[level].between_nodes <= order.above_before[level].between_nodes);
      BOOST_TEST_REQUIRE(order.above_after[level].busiest_node <= order.above_before[level].busiest_node);
    }
  }
}

// Property: other names for nodes change nothing between nodes, and keeping ranks in place changes nothing anywhere.
BOOST_AUTO_TEST_CASE(renaming_nodes_changes_nothing_between_nodes) {
  UniformDraw draw(property_seed());
  for (int round = 0; round < 1000; ++round) {
    const Instance of = draw_instance(draw);
    const NeighbourLists traffic(of.ranks, of.sent);
    const auto nodes = static_cast<std::int32_t>(of.capacity.size());
    const LevelsAbove above(of.above, of.capacity);
    const Numbers given = nodes_of(of, of.given);
    const Numbers names = above.best_names(traffic_between(traffic, given, nodes));
    Numbers renamed;
    for (const std::int32_t node : given) renamed.push_back(names[static_cast<std::size_t>(node)]);
    for (std::size_t node = 0; node < names.size(); ++node)
      BOOST_TEST_REQUIRE(of.capacity[static_cast<std::size_t>(names[node])] == of.capacity[node]);
    const Crossing between = crossing_of(traffic, given, nodes);
    BOOST_TEST_REQUIRE((crossing_of(traffic, renamed, nodes) == between));
    const std::vector<Crossing> at_levels = above.crossings(traffic, renamed);
    WeightedSum before = 0, after = 0;
    for (std::size_t level = 0; level < above.count(); ++level) {
      before += above.factor(level) * static_cast<WeightedSum>(above.crossings(traffic, given)[level].between_nodes);
      after += above.factor(level) * static_cast<WeightedSum>(at_levels[level].between_nodes);
    }
    BOOST_TEST_REQUIRE((after <= before));
    above.keep_in_place(given, renamed);
    BOOST_TEST_REQUIRE((crossing_of(traffic, renamed, nodes) == between));
    BOOST_TEST_REQUIRE((above.crossings(traffic, renamed) == at_levels));
  }
}
