#include "mapping/contest.h"

#include <algorithm>
#include <barrier>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "instances.h"
#include "mapping/metrics.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal;
using namespace marshal::mapping;

namespace {

// Several threads play the processes of a communicator.
class Playground {
 public:
  explicit Playground(int parts) : parts_(parts), barrier_(parts) {}

  std::vector<ContestResult> run(const Problem& problem, const ContestRules& rules) {
    std::vector<ContestResult> results(static_cast<std::size_t>(parts_));
    const Traffic given = traffic_of(problem.grid, problem.stencil, problem.given, problem.nodes());
    std::vector<std::thread> threads;
    for (int part = 0; part < parts_; ++part)
      threads.emplace_back(
          [&, part] { results[static_cast<std::size_t>(part)] = propose(problem, rules, team(part), given); });
    for (auto& thread : threads) thread.join();
    return results;
  }

 private:
  Team team(int part) {
    Team team;
    team.part = part;
    team.parts = parts_;
    team.agree = [this, part](std::span<Standing> standings) {
      if (part == 0) board_.assign(standings.size(), Standing{});
      barrier_.arrive_and_wait();
      {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < standings.size(); ++i) board_[i] = std::min(board_[i], standings[i]);
      }
      barrier_.arrive_and_wait();
      std::copy(board_.begin(), board_.end(), standings.begin());
      barrier_.arrive_and_wait();
    };
    team.tell = [this, part](std::span<std::int32_t> numbers, int from) {
      if (part == from) told_.assign(numbers.begin(), numbers.end());
      barrier_.arrive_and_wait();
      std::copy(told_.begin(), told_.end(), numbers.begin());
      barrier_.arrive_and_wait();
    };
    return team;
  }

  int parts_;
  std::barrier<> barrier_;
  std::mutex mutex_;
  std::vector<Standing> board_;
  std::vector<std::int32_t> told_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(all_processes_agree_and_their_number_changes_nothing) {
  const std::vector<Problem> problems{blocked_problem({4, 2, 2}, {4}), blocked_problem({13, 11, 7}, {77}),
                                      blocked_problem({16, 15}, {24, 31, 40}), blocked_problem({9, 5, 4}, {7, 7, 9}),
                                      blocked_problem({4, 4}, {4})};
  ContestRules rules;
  rules.exchanges = 30'000;
  for (const Problem& problem : problems)
    for (const Mapper mapper : {Mapper::best, Mapper::search, Mapper::hyperplane}) {
      rules.mapper = mapper;
      rules.no_worse_by = rules.no_worse_by.empty() ? one_by_one(problem.stencil) : std::vector<Stencil>{};
      const ContestResult alone = propose(problem, rules);
      for (const int parts : {2, 3, 11})
        for (const ContestResult& result : Playground(parts).run(problem, rules)) {
          BOOST_REQUIRE(result.node_of_cell == alone.node_of_cell);
          BOOST_REQUIRE(result.winner == alone.winner);
          BOOST_REQUIRE(result.detail == alone.detail);
          BOOST_REQUIRE(result.entries.size() == alone.entries.size());
          for (std::size_t i = 0; i < alone.entries.size(); ++i)
            BOOST_REQUIRE(result.entries[i].standing == alone.entries[i].standing);
        }
    }
}

BOOST_AUTO_TEST_CASE(standings_tell_the_true_metrics) {
  const Problem problem = blocked_problem({16, 15, 10}, {48});
  ContestRules rules;
  rules.exchanges = 10'000;
  const ContestResult result = propose(problem, rules);
  BOOST_REQUIRE(!result.entries.empty());
  const Contestant& first = result.entries.front();
  BOOST_TEST(first.standing.jsum == jsum_of(problem.grid, problem.stencil, result.node_of_cell));
  BOOST_TEST(first.standing.jmax ==
             traffic_of(problem.grid, problem.stencil, result.node_of_cell, problem.nodes()).jmax);
  for (const Contestant& entry : result.entries)
    if (entry.mapper == Mapper::hyperplane)
      BOOST_TEST(entry.standing.jsum ==
                 jsum_of(problem.grid, problem.stencil, run_mapper(problem, Mapper::hyperplane).node_of_cell));
}

// A sweep over problems of users: equal and unequal nodes, 1 to 4 dimensions, primes, weights, wrap-around, spares.
// contest.h has the promises.
BOOST_AUTO_TEST_CASE(best_and_search_are_never_worse_than_the_given_order_and_best_never_than_a_published_mapper) {
  UniformDraw pick(1123);
  constexpr int longest[] = {0, 600, 40, 13, 7};
  const char* wanted = std::getenv("SWEEP");  // a long sweep by hand: SWEEP=2000 tests/unit/mapping/contest_test
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 200;
  int busier = 0;
  for (int round = 0; round < rounds; ++round) {
    const int ndims = pick(1, 4);
    std::vector<int> dims, periods, sizes;
    std::vector<std::int64_t> weights;
    for (int d = 0; d < ndims; ++d) {
      dims.push_back(pick(1, longest[ndims]));
      periods.push_back(pick(0, 1));
      weights.push_back(pick(0, 2) == 0 ? pick(1, 9) : 1);
    }
    Grid grid = make_grid(dims, periods);
    if (pick(0, 1) == 0) {  // equal nodes that fill the grid
      std::vector<int> divisors;
      for (int n = 2; n <= 96; ++n)
        if (grid.cells() % n == 0) divisors.push_back(n);
      sizes.push_back(
          divisors.empty() ? 5 : divisors[static_cast<std::size_t>(pick(0, static_cast<int>(divisors.size()) - 1))]);
    } else {
      for (int kinds = pick(1, 5); kinds > 0; --kinds) sizes.push_back(pick(1, 48));
    }
    std::vector<std::int32_t> node_of_rank = blocked_nodes(grid.cells() + (pick(0, 4) == 0 ? pick(1, 20) : 0), sizes);
    if (pick(0, 9) == 0) std::shuffle(node_of_rank.begin(), node_of_rank.end(), pick.engine());
    const Problem problem = make_problem(grid, star_stencil(ndims, weights), node_of_rank);
    ContestRules rules;
    rules.exchanges = 2'000;
    const std::int64_t given = jsum_of(problem.grid, problem.stencil, problem.given);
    const std::int64_t jmax = traffic_of(problem.grid, problem.stencil, problem.given, problem.nodes()).jmax;
    std::int64_t published = std::numeric_limits<std::int64_t>::max();
    for (const MapperRow& row : mapper_table) {
      if (!row.published) continue;
      if (const MapperResult result = run_mapper(problem, row.mapper); result.applies())
        published = std::min(published, jsum_of(problem.grid, problem.stencil, result.node_of_cell));
    }
    const ContestResult best = propose(problem, rules);
    const std::int64_t best_jsum = jsum_of(problem.grid, problem.stencil, best.node_of_cell);
    BOOST_REQUIRE(best_jsum <= given);
    BOOST_REQUIRE(best_jsum <= published);
    if (traffic_of(problem.grid, problem.stencil, best.node_of_cell, problem.nodes()).jmax > jmax) {
      BOOST_REQUIRE(best_jsum == published);
      ++busier;
    }
    rules.mapper = Mapper::search;
    const std::vector<std::int32_t> searched = propose(problem, rules).node_of_cell;
    BOOST_REQUIRE(jsum_of(problem.grid, problem.stencil, searched) <= given);
    BOOST_REQUIRE(traffic_of(problem.grid, problem.stencil, searched, problem.nodes()).jmax <= jmax);
  }
  BOOST_TEST_MESSAGE(busier << " of " << rounds << " with a busier node than the given order's busiest");
  BOOST_TEST(busier * 100 <= rounds);
}

// MPI_Dims_create, which each process answers alone, relies on this.
BOOST_AUTO_TEST_CASE(the_number_of_snakes_follows_from_how_many_cells_they_may_visit) {
  const Problem problem = blocked_problem({36, 35, 8}, {48});
  ContestRules rules;
  rules.mapper = Mapper::search;
  rules.exchanges = 0;
  const std::int64_t without_limit = propose(problem, rules).candidates;
  rules.visits = 40 * problem.cells();
  const std::int64_t with_limit = propose(problem, rules).candidates;
  rules.visits = 1;
  BOOST_TEST(with_limit <= 41);  // and the given order
  BOOST_TEST(with_limit < without_limit);
  BOOST_TEST(propose(problem, rules).candidates <= 25);
}

namespace {

Traffic traffic(const Problem& problem, std::span<const std::int32_t> node_of_cell) {
  return traffic_of(problem.grid, problem.stencil, node_of_cell, problem.nodes());
}

// The least (Jsum, Jmax) within the given order's Jmax, by trying all orders of the nodes' names over the cells.
std::pair<std::int64_t, std::int64_t> least_of_all(const Problem& problem) {
  std::vector<std::int32_t> order = problem.given;
  std::sort(order.begin(), order.end());
  const std::int64_t limit = traffic(problem, problem.given).jmax;
  std::pair least{Standing::unknown, Standing::unknown};
  do {
    const Traffic t = traffic(problem, order);
    if (t.jmax <= limit) least = std::min(least, std::pair(t.jsum, t.jmax));
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_few_cells_the_winner_is_the_best_of_all_assignments) {
  std::vector<Problem> problems{blocked_problem({2, 2, 1}, {2}), blocked_problem({3, 3}, {3}, true),
                                blocked_problem({5, 2}, {3, 2}), blocked_problem({2, 2, 2}, {3, 5}),
                                blocked_problem({10}, {4, 3}),   blocked_problem({3, 3}, {2, 3, 4}, false, {5, 2})};
  problems.push_back(blocked_problem({2, 5}, {5}));
  problems.back().stencil = parse_stencil("0,1;1,1*3;-2,1", 2);  // not symmetric
  for (const Problem& problem : problems) {
    const Traffic found = traffic(problem, propose(problem).node_of_cell);
    BOOST_TEST((std::pair(found.jsum, found.jmax) == least_of_all(problem)));
  }
}

BOOST_AUTO_TEST_CASE(tiny_grids_need_no_annealing) {
  for (const Problem& problem :
       {blocked_problem({2, 2, 1}, {2}), blocked_problem({4, 2, 2}, {4}), blocked_problem({4, 3}, {4}, true),
        blocked_problem({2, 2, 1}, {3, 1}, true), blocked_problem({4, 4}, {4})}) {
    ContestRules none, some;
    none.exchanges = 0;
    const ContestResult result = propose(problem, some);
    BOOST_TEST(result.node_of_cell == propose(problem, none).node_of_cell, boost::test_tools::per_element());
    for (const Contestant& entry : result.entries) BOOST_TEST((entry.mapper != Mapper::annealing));
  }
}

// Equal Jsum, smaller Jmax.
BOOST_AUTO_TEST_CASE(a_less_busy_node_wins_at_the_same_jsum) {
  const Problem problem = blocked_problem({4, 2, 2}, {4});
  BOOST_TEST(traffic(problem, problem.given).jsum == 24);
  BOOST_TEST(traffic(problem, problem.given).jmax == 8);
  const Traffic found = traffic(problem, propose(problem).node_of_cell);
  BOOST_TEST(found.jsum == 24);
  BOOST_TEST(found.jmax == 6);
}

// An order given, which somebody else made: in blocks, dealt out in turn, or at random.
std::vector<std::int32_t> some_order(std::int64_t cells, int per_node, int kind, UniformDraw& draw) {
  std::vector<std::int32_t> nodes = blocked_nodes(cells, {per_node});
  const std::int32_t count = nodes.empty() ? 0 : nodes.back() + 1;
  if (kind == 1 && cells % per_node == 0)
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) nodes[rank] = static_cast<std::int32_t>(rank) % count;
  if (kind == 2) std::shuffle(nodes.begin(), nodes.end(), draw.engine());
  return nodes;
}

BOOST_AUTO_TEST_CASE(where_the_weights_are_unknown_the_winner_is_no_worse_than_the_given_order_whatever_they_are) {
  UniformDraw pick(property_seed());
  int moved = 0;
  for (int round = 0; round < 90; ++round) {
    const std::vector<int> dims =
        round % 2 == 0 ? std::vector{pick(2, 24), pick(2, 24)} : std::vector{pick(2, 9), pick(2, 9), pick(2, 9)};
    const int ndims = static_cast<int>(dims.size());
    const Grid grid = make_grid(dims, std::vector<int>(dims.size(), pick(0, 1)));
    const Problem problem = make_problem(grid, round % 5 == 0 ? box_stencil(ndims) : star_stencil(ndims),
                                         some_order(grid.cells(), pick(2, 16), round % 3, pick));
    ContestRules rules;
    rules.exchanges = 2'000;
    rules.no_worse_by = one_by_one(problem.stencil);
    const auto chosen = propose(problem, rules).node_of_cell;
    moved += chosen != problem.given ? 1 : 0;
    for (int draw = 0; draw < 5; ++draw) {
      Stencil stencil = problem.stencil;
      for (Step& step : stencil.steps) step.weight = draw == 0 ? 1 : pick(0, 2) == 0 ? 1'000 : pick(1, 9);
      BOOST_REQUIRE(jsum_of(grid, stencil, chosen) <= jsum_of(grid, stencil, problem.given));
    }
  }
  BOOST_TEST_MESSAGE(moved << " of 90 grids get another order");
  BOOST_TEST(moved > 20);
}

// Rows on nodes: any other order crosses nodes along the rows, which the given one never does.
BOOST_AUTO_TEST_CASE(an_order_that_may_be_worse_is_held_back_and_one_that_cannot_be_wins) {
  ContestRules rules;
  Problem problem = blocked_problem({4, 4}, {4});
  rules.no_worse_by = one_by_one(problem.stencil);
  ContestResult result = propose(problem, rules);
  BOOST_TEST(result.node_of_cell == problem.given);
  BOOST_TEST(result.held_back);
  BOOST_TEST(!propose(problem).held_back);
  BOOST_TEST(propose(problem).node_of_cell != problem.given);

  problem = make_problem(problem.grid, problem.stencil,
                         std::vector<std::int32_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
  result = propose(problem, rules);
  BOOST_TEST(result.held_back);  // columns on nodes: the same, the other way round

  problem = make_problem(problem.grid, problem.stencil,
                         std::vector<std::int32_t>{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3});
  result = propose(problem, rules);
  BOOST_TEST(!result.held_back);
  BOOST_TEST(traffic(problem, result.node_of_cell).jsum == 16);
}

// Traffic that changes from run to run.
BOOST_AUTO_TEST_CASE(the_winner_for_one_stencil_is_no_worse_by_another_one_that_must_not_lose) {
  const Problem wide = blocked_problem({8, 8}, {8});
  const std::vector<std::int64_t> first{8, 1}, second{1, 8};
  const Problem problem = make_problem(wide.grid, star_stencil(2, first), wide.given);
  ContestRules rules;
  BOOST_TEST(propose(problem, rules).node_of_cell != problem.given);
  rules.no_worse_by = {star_stencil(2, second)};
  const ContestResult result = propose(problem, rules);
  BOOST_TEST(jsum_of(problem.grid, rules.no_worse_by.front(), result.node_of_cell) <=
             jsum_of(problem.grid, rules.no_worse_by.front(), problem.given));
  BOOST_TEST(result.held_back);
}
