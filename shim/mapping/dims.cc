#include "mapping/dims.h"

#include <algorithm>
#include <limits>

#include "mapping/contest.h"
#include "mapping/factorizations.h"
#include "mapping/lower_bound.h"
#include "mapping/metrics.h"

namespace marshal::mapping {
namespace {

// Every process calls MPI_Dims_create and answers alone, so the work is bounded. At least 2 and at most 8 grids are
// mapped, with at most so many cells together unless that means fewer than 2 grids; each by as many snakes as visit so
// many cells together.
constexpr std::int64_t most_processes_to_map = 200'000;
constexpr std::int64_t most_grids_to_map = 8, fewest_grids_to_map = 2, cells_to_map = 500'000;
constexpr std::int64_t visits_of_snakes = 4'000'000;
constexpr std::int64_t most_surface_percent = 105;

std::vector<int> filled_in(std::span<const int> dims, const Factors& factors) {
  std::vector<int> result(dims.begin(), dims.end());
  std::size_t next = 0;
  for (int& dim : result)
    if (dim == 0) dim = factors[next++];
  return result;
}

Factors best_for_nodes(std::span<const int> dims, int number, std::size_t count, int processes,
                       std::int32_t node_size) {
  struct Choice {
    std::int64_t bound, sum;
    Factors factors;
  };
  std::vector<std::int32_t> node_of_rank(static_cast<std::size_t>(processes));
  for (std::size_t r = 0; r < node_of_rank.size(); ++r) node_of_rank[r] = static_cast<std::int32_t>(r) / node_size;
  const auto problem_of = [&](const Factors& factors) {
    const std::vector<int> all = filled_in(dims, factors);
    return make_problem(make_grid(all, std::vector<int>(all.size(), 0)), star_stencil(static_cast<int>(all.size())),
                        node_of_rank);
  };
  // A long thin grid has few pairs between nodes but large faces, so only grids almost as balanced as the best are
  // tried.
  std::int64_t most_sum = sum_of(most_balanced(number, count)) * most_surface_percent / 100;
  std::vector<Choice> choices;
  each_factorization(number, count, most_sum, [&](const Factors& factors) {
    choices.push_back({0, sum_of(factors), factors});
  });
  const auto less_surface = [](const Choice& a, const Choice& b) {
    return a.sum != b.sum ? a.sum < b.sum : a.factors < b.factors;
  };
  std::sort(choices.begin(), choices.end(), less_surface);
  const std::int64_t grids = std::clamp(cells_to_map / processes, fewest_grids_to_map, most_grids_to_map);
  choices.resize(std::min(choices.size(), static_cast<std::size_t>(4 * grids)));
  for (Choice& choice : choices) choice.bound = jsum_lower_bound(problem_of(choice.factors));
  std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.bound < b.bound; });

  ContestRules rules;
  rules.mapper = Mapper::search;
  rules.exchanges = 0;
  rules.visits = visits_of_snakes;
  const Choice* best = nullptr;
  std::int64_t best_jsum = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < choices.size() && static_cast<std::int64_t>(i) < grids; ++i) {
    if (choices[i].bound >= best_jsum) break;
    const Problem problem = problem_of(choices[i].factors);
    const std::int64_t jsum = jsum_of(problem.grid, problem.stencil, propose(problem, rules).node_of_cell);
    if (jsum < best_jsum || (jsum == best_jsum && less_surface(choices[i], *best))) {
      best_jsum = jsum;
      best = &choices[i];
    }
  }
  return best->factors;
}

}  // namespace

std::optional<std::vector<int>> complete_dims(int processes, std::span<const int> dims, DimsRule rule,
                                              std::int32_t node_size) {
  std::int64_t given = 1;
  std::size_t open = 0;
  for (const int dim : dims) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) {
      ++open;
    } else {
      given *= dim;
      if (given > processes) return std::nullopt;
    }
  }
  if (open == 0 || processes < 1 || processes % given != 0) return std::nullopt;
  const int left = static_cast<int>(processes / given);
  const bool by_node =
      rule == DimsRule::node && node_size > 1 && node_size < processes && processes <= most_processes_to_map;
  return filled_in(dims, by_node ? best_for_nodes(dims, left, open, processes, node_size) : most_balanced(left, open));
}

}  // namespace marshal::mapping
