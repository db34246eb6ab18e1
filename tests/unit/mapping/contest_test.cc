#include "mapping/contest.h"

#include <algorithm>
#include <barrier>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

#include "instances.h"
#include "mapping/metrics.h"

using namespace marshal::mapping;

namespace {

// Several threads play the processes of a communicator.
class Playground {
 public:
  explicit Playground(int parts) : parts_(parts), barrier_(parts) {}

  std::vector<ContestResult> run(const Problem& problem, const ContestRules& rules) {
    std::vector<ContestResult> results(static_cast<std::size_t>(parts_));
    std::vector<std::thread> threads;
    for (int part = 0; part < parts_; ++part)
      threads.emplace_back(
          [&, part] { results[static_cast<std::size_t>(part)] = contest(problem, rules, team(part)); });
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
  const std::vector<Problem> problems{blocked_problem({13, 11, 7}, {77}), blocked_problem({16, 15}, {24, 31, 40}),
                                      blocked_problem({9, 5, 4}, {7, 7, 9}), blocked_problem({4, 4}, {4})};
  ContestRules rules;
  rules.proposals = 30'000;
  for (const Problem& problem : problems)
    for (const Mapper mapper : {Mapper::best, Mapper::search, Mapper::hyperplane}) {
      rules.mapper = mapper;
      const ContestResult alone = contest(problem, rules);
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
  rules.proposals = 10'000;
  const ContestResult result = contest(problem, rules);
  BOOST_REQUIRE(!result.entries.empty());
  const Entry& first = result.entries.front();
  BOOST_TEST(first.standing.jsum == jsum_of(problem.grid, problem.stencil, result.node_of_cell));
  BOOST_TEST(first.standing.jmax == jmax_of(problem.grid, problem.stencil, result.node_of_cell, problem.nodes()));
  for (const Entry& entry : result.entries)
    if (entry.mapper == Mapper::hyperplane)
      BOOST_TEST(entry.standing.jsum ==
                 jsum_of(problem.grid, problem.stencil, run_mapper(problem, Mapper::hyperplane).node_of_cell));
}

// A sweep over what users come with: equal and unequal nodes, 1 to 4 dimensions, primes, weights, wrap-around, spares.
// Which measure each promise is about: contest.h.
BOOST_AUTO_TEST_CASE(best_and_search_are_never_worse_than_the_given_order_and_best_never_than_a_published_mapper) {
  const unsigned seed = 1123;
  BOOST_TEST_MESSAGE("seed " << seed);
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
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
      sizes.push_back(divisors.empty() ? 5 : divisors[random() % divisors.size()]);
    } else {
      for (int kinds = pick(1, 5); kinds > 0; --kinds) sizes.push_back(pick(1, 48));
    }
    std::vector<std::int32_t> node_of_rank = blocked_nodes(grid.cells() + (pick(0, 4) == 0 ? pick(1, 20) : 0), sizes);
    if (pick(0, 9) == 0) std::shuffle(node_of_rank.begin(), node_of_rank.end(), random);
    const Problem problem = make_problem(grid, star_stencil(ndims, weights), node_of_rank);
    ContestRules rules;
    rules.proposals = 2'000;
    const std::int64_t given = jsum_of(problem.grid, problem.stencil, problem.given);
    const std::int64_t jmax = jmax_of(problem.grid, problem.stencil, problem.given, problem.nodes());
    std::int64_t published = std::numeric_limits<std::int64_t>::max();
    for (const Mapper mapper : {Mapper::nodecart, Mapper::hyperplane, Mapper::kdtree, Mapper::strips})
      if (const MapperResult result = run_mapper(problem, mapper); result.applies())
        published = std::min(published, jsum_of(problem.grid, problem.stencil, result.node_of_cell));
    const ContestResult best = contest(problem, rules);
    const std::int64_t best_jsum = jsum_of(problem.grid, problem.stencil, best.node_of_cell);
    BOOST_REQUIRE(best_jsum <= given);
    BOOST_REQUIRE(best_jsum <= published);
    if (jmax_of(problem.grid, problem.stencil, best.node_of_cell, problem.nodes()) > jmax) {
      BOOST_REQUIRE(best_jsum == published);
      ++busier;
    }
    rules.mapper = Mapper::search;
    const std::vector<std::int32_t> searched = contest(problem, rules).node_of_cell;
    BOOST_REQUIRE(jsum_of(problem.grid, problem.stencil, searched) <= given);
    BOOST_REQUIRE(jmax_of(problem.grid, problem.stencil, searched, problem.nodes()) <= jmax);
  }
  BOOST_TEST_MESSAGE(busier << " of " << rounds << " with a busier node than the given order's busiest");
  BOOST_TEST(busier * 100 <= rounds);
}

BOOST_AUTO_TEST_CASE(names_of_mappers_are_read_and_others_refused) {
  for (const Mapper mapper : mappers_by_name()) BOOST_TEST((parse_mapper(name_of(mapper)) == mapper));
  BOOST_CHECK_THROW(parse_mapper("annealing"), std::invalid_argument);
  BOOST_CHECK_THROW(parse_mapper(""), std::invalid_argument);
}

// What MPI_Dims_create, which each process answers alone, relies on.
BOOST_AUTO_TEST_CASE(the_number_of_snakes_follows_from_how_many_cells_they_may_visit) {
  const Problem problem = blocked_problem({36, 35, 8}, {48});
  ContestRules rules;
  rules.mapper = Mapper::search;
  rules.proposals = 0;
  const std::int64_t without_limit = contest(problem, rules).candidates;
  rules.visits = 40 * problem.cells();
  const std::int64_t with_limit = contest(problem, rules).candidates;
  rules.visits = 1;
  BOOST_TEST(with_limit <= 41);  // and the given order
  BOOST_TEST(with_limit < without_limit);
  BOOST_TEST(contest(problem, rules).candidates <= 25);
}
