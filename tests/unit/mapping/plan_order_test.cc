#include "mapping/plan_order.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>
#include <stdexcept>

#include "mapping/contest.h"
#include "mapping/grid_in_traffic.h"
#include "mapping/metrics.h"
#include "tests/unit/property_seed.h"

using namespace marshal::mapping;

namespace {

std::vector<Sent> traffic_of_grid(const Grid& grid, const Stencil& stencil, std::int64_t bytes) {
  std::vector<Sent> sent;
  const NeighbourLists lists(grid, stencil);
  for (std::int32_t cell = 0; cell < lists.cells(); ++cell)
    for (const Neighbour& n : lists.of(cell))
      if (n.cell > cell) sent.push_back({cell, n.cell, n.weight * bytes});
  return sent;
}

std::vector<std::int32_t> in_order(std::int32_t ranks) {
  std::vector<std::int32_t> places(static_cast<std::size_t>(ranks));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

Order planned(const NeighbourLists& traffic, const std::vector<std::int32_t>& capacity, const OrderRules& rules = {}) {
  const auto given = in_order(traffic.cells());
  return plan_order({traffic, capacity, given, {}, rules});
}

bool is_permutation(const Order& order, std::size_t places) {
  std::vector<bool> taken(places, false);
  for (const std::int32_t place : order.place_of_rank) {
    if (place < 0 || static_cast<std::size_t>(place) >= places || taken[static_cast<std::size_t>(place)]) return false;
    taken[static_cast<std::size_t>(place)] = true;
  }
  return true;
}

// Without SCOTCH there is one start less, and the orders are some per cent worse.
bool scotch_took_part(const Order& order) {
  const auto absent = std::ranges::find(order.entries, "scotch", &OrderEntry::method);
  const bool took_part = absent == order.entries.end() || absent->why_not.empty();
  if (!took_part) BOOST_TEST_MESSAGE("scotch: " << absent->why_not);
  return took_part;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_grid_of_a_halo_exchange_is_found_with_its_stencil) {
  struct Case {
    std::vector<int> dims, periods;
    std::vector<std::int64_t> weights;
  };
  for (const Case& c : {Case{{8, 6}, {0, 0}, {64, 1}}, Case{{8, 6}, {1, 0}, {1, 3}},
                        Case{{4, 5, 6}, {0, 0, 0}, {1, 2, 3}}, Case{{6, 6, 6}, {1, 1, 1}, {1, 1, 1}}}) {
    const Grid grid = make_grid(c.dims, c.periods);
    const auto sent = traffic_of_grid(grid, star_stencil(grid.ndims(), c.weights), 4096);
    const auto found = find_grid(NeighbourLists(static_cast<std::int32_t>(grid.cells()), sent));
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->grid.dims == c.dims, boost::test_tools::per_element());
    BOOST_TEST(found->share == 1.0);
    BOOST_TEST(found->stencil.steps.size() == 2 * c.dims.size());
  }
}

BOOST_AUTO_TEST_CASE(traffic_that_is_no_grid_is_not_taken_for_one) {
  std::mt19937 random(7);
  std::vector<Sent> sent;
  for (int i = 0; i < 400; ++i)
    sent.push_back({static_cast<std::int32_t>(random() % 64), static_cast<std::int32_t>(random() % 64), 10});
  BOOST_TEST(!find_grid(NeighbourLists(64, sent)).has_value());
}

BOOST_AUTO_TEST_CASE(an_order_is_a_permutation_and_never_worse_than_the_one_given) {
  const unsigned seed = marshal::property_seed();
  for (unsigned run = 0; run < 30; ++run) {
    std::mt19937 random(seed + run);
    const auto ranks = static_cast<std::int32_t>(2 + random() % 60);
    std::vector<Sent> sent;
    for (std::int32_t i = 0; i < 3 * ranks; ++i)
      sent.push_back({static_cast<std::int32_t>(random() % static_cast<unsigned>(ranks)),
                      static_cast<std::int32_t>(random() % static_cast<unsigned>(ranks)),
                      static_cast<std::int64_t>(random() % 1000) << (random() % 30)});
    std::vector<std::int32_t> capacity;
    for (std::int32_t places = 0; places < ranks;)
      places += capacity.emplace_back(static_cast<std::int32_t>(1 + random() % 9));
    const NeighbourLists traffic(ranks, sent);
    OrderRules rules;
    rules.looks = 2'000'000;
    const auto places = static_cast<std::size_t>(std::accumulate(capacity.begin(), capacity.end(), 0));
    // The order given is any, and in every other run the nodes have halves.
    std::vector<std::int32_t> given = in_order(static_cast<std::int32_t>(places));
    std::shuffle(given.begin(), given.end(), random);
    given.resize(static_cast<std::size_t>(ranks));
    std::vector<PlaceLevel> levels;
    if (run % 2 == 1) {
      levels.push_back({"package", {}});
      std::int32_t domain = 0;
      for (const std::int32_t size : capacity) {
        for (std::int32_t place = 0; place < size; ++place)
          levels[0].domain_of_place.push_back(domain + (2 * place >= size ? 1 : 0));
        domain += 2;
      }
    }
    const Order order = plan_order({traffic, capacity, given, levels, rules});
    BOOST_TEST_CONTEXT("run " << run) {
      BOOST_TEST(is_permutation(order, places));
      BOOST_TEST(order.after.between_nodes <= order.before.between_nodes);
      BOOST_TEST(order.after.busiest_node <= order.before.busiest_node);
      BOOST_TEST((plan_order({traffic, capacity, given, levels, rules}).place_of_rank == order.place_of_rank));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_grid_given_as_plain_traffic_is_placed_nearly_as_well_as_by_the_mappers_of_grids) {
  struct Case {
    std::vector<int> dims;
    std::int32_t ppn;
  };
  for (const Case& c : {Case{{16, 16}, 16}, Case{{12, 8, 6}, 24}, Case{{10, 9}, 15}}) {
    const Grid grid = make_grid(c.dims, std::vector<int>(c.dims.size(), 0));
    const Stencil stencil = star_stencil(grid.ndims());
    const auto cells = static_cast<std::int32_t>(grid.cells());
    std::vector<std::int32_t> nodes(static_cast<std::size_t>(cells));
    for (std::int32_t r = 0; r < cells; ++r) nodes[static_cast<std::size_t>(r)] = r / c.ppn;
    const ContestResult by_grid = propose(make_problem(grid, stencil, nodes));
    const std::int64_t jsum = jsum_of(grid, stencil, by_grid.node_of_cell);
    OrderRules rules;
    rules.with_grid = false;  // the others must stand on their own
    rules.looks = 200'000'000;
    const std::vector<std::int32_t> capacity(static_cast<std::size_t>(cells / c.ppn), c.ppn);
    const Order order = planned(NeighbourLists(cells, traffic_of_grid(grid, stencil, 1)), capacity, rules);
    const double bound = scotch_took_part(order) ? 1.03 : 1.08;
    BOOST_TEST(static_cast<double>(order.after.between_nodes) <= bound * static_cast<double>(jsum));
  }
}

BOOST_AUTO_TEST_CASE(pairs_that_exchange_much_share_a_domain_inside_their_node) {
  // Ranks 0 and 2, 1 and 3 talk; places 0, 1 are one package of the node and 2, 3 the other.
  const std::vector<Sent> sent{{0, 2, 100}, {1, 3, 100}, {0, 1, 1}};
  const NeighbourLists traffic(4, sent);
  const std::vector<std::int32_t> capacity{4}, given = in_order(4);
  const std::vector<PlaceLevel> levels{{"package", {0, 0, 1, 1}}};
  const Order order = plan_order({traffic, capacity, given, levels, {}});
  BOOST_TEST(order.level_before[0] == 200);
  BOOST_TEST(order.level_after[0] == 1);
}

BOOST_AUTO_TEST_CASE(the_order_given_stays_where_nothing_is_gained) {
  const std::vector<Sent> sent{{0, 1, 5}, {2, 3, 5}};
  const NeighbourLists traffic(4, sent);
  const std::vector<std::int32_t> capacity{2, 2};
  const Order order = planned(traffic, capacity);
  BOOST_TEST(!order.moved);
}

BOOST_AUTO_TEST_CASE(requests_that_do_not_fit_are_refused) {
  const NeighbourLists traffic(4, std::vector<Sent>{{0, 1, 5}});
  const auto given = in_order(4);
  const std::vector<std::int32_t> few{2, 1}, enough{2, 2}, twice{0, 1, 1, 2};
  BOOST_CHECK_THROW(plan_order({traffic, few, given, {}, {}}), std::invalid_argument);
  BOOST_CHECK_THROW(plan_order({traffic, enough, twice, {}, {}}), std::invalid_argument);
  BOOST_CHECK_THROW(NeighbourLists(2, std::vector<Sent>{{0, 2, 1}}), std::invalid_argument);
  BOOST_CHECK_THROW(NeighbourLists(2, std::vector<Sent>{{0, 1, -1}}), std::invalid_argument);
}
