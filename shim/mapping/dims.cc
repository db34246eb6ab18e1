#include "mapping/dims.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "mapping/contest.h"
#include "mapping/lower_bound.h"
#include "mapping/metrics.h"

namespace marshal::mapping {
namespace {

using Factors = std::vector<int>;  // never increasing

constexpr std::int64_t most_processes_to_map = 200'000;
constexpr std::size_t most_grids_to_map = 8;
constexpr std::int64_t most_surface_percent = 105;

void each_factorization(int number, std::size_t count, const std::function<void(const Factors&)>& visit) {
  std::vector<int> divisors;
  for (int d = 1; static_cast<std::int64_t>(d) * d <= number; ++d)
    if (number % d == 0) {
      divisors.push_back(d);
      if (d != number / d) divisors.push_back(number / d);
    }
  std::sort(divisors.begin(), divisors.end());
  Factors factors;
  const std::function<void(int, int)> choose = [&](int left, int at_most) {
    if (factors.size() + 1 == count) {
      if (left > at_most) return;
      factors.push_back(left);
      visit(factors);
      factors.pop_back();
      return;
    }
    for (const int d : divisors) {
      if (d > at_most || d > left) break;
      if (left % d != 0) continue;
      // The rest, in parts no larger than d, must be able to reach what is left.
      std::int64_t reach = d;
      for (std::size_t k = factors.size() + 1; k < count && reach < left; ++k) reach *= d;
      if (reach < left) continue;
      factors.push_back(d);
      choose(left / d, d);
      factors.pop_back();
    }
  };
  choose(number, number);
}

// The least sum, which is the least surface; then the least largest one.
Factors most_balanced(int number, std::size_t count) {
  Factors best;
  std::int64_t best_sum = std::numeric_limits<std::int64_t>::max();
  each_factorization(number, count, [&](const Factors& factors) {
    const auto sum = std::accumulate(factors.begin(), factors.end(), std::int64_t{0});
    if (sum < best_sum || (sum == best_sum && factors < best)) {
      best_sum = sum;
      best = factors;
    }
  });
  return best;
}

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
  // A long thin grid has few pairs between nodes and large faces: only grids almost as balanced as the best are looked
  // at.
  std::vector<Choice> choices;
  each_factorization(number, count, [&](const Factors& factors) {
    choices.push_back({0, std::accumulate(factors.begin(), factors.end(), std::int64_t{0}), factors});
  });
  const auto less_surface = [](const Choice& a, const Choice& b) {
    return a.sum != b.sum ? a.sum < b.sum : a.factors < b.factors;
  };
  std::sort(choices.begin(), choices.end(), less_surface);
  std::erase_if(choices,
                [least = choices.front().sum](const Choice& c) { return c.sum * 100 > least * most_surface_percent; });
  choices.resize(std::min(choices.size(), 4 * most_grids_to_map));
  for (Choice& choice : choices) choice.bound = jsum_lower_bound(problem_of(choice.factors));
  std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.bound < b.bound; });

  ContestRules rules;
  rules.proposals = 0;
  const Choice* best = nullptr;
  std::int64_t best_jsum = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < choices.size() && (i < most_grids_to_map || best == nullptr); ++i) {
    if (choices[i].bound >= best_jsum) break;
    const Problem problem = problem_of(choices[i].factors);
    const std::int64_t jsum = jsum_of(problem.grid, problem.stencil, contest(problem, rules).node_of_cell);
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
