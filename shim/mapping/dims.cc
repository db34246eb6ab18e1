#include "mapping/dims.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "mapping/contest.h"
#include "mapping/lower_bound.h"
#include "mapping/metrics.h"
#include "mapping/root.h"

namespace marshal::mapping {

namespace {

std::vector<int> divisors_of(int number) {
  std::vector<int> divisors;
  for (int d = 1; static_cast<std::int64_t>(d) * d <= number; ++d)
    if (number % d == 0) {
      divisors.push_back(d);
      if (d != number / d) divisors.push_back(number / d);
    }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

class Search {
 public:
  Search(int number, std::size_t count, std::int64_t& most_sum, const std::function<void(const Factors&)>& visit)
      : divisors_(divisors_of(number)), count_(count), most_sum_(most_sum), visit_(visit) {
    for (const int d : divisors_)
      if (d > 1 && std::none_of(primes_.begin(), primes_.end(), [d](int prime) { return d % prime == 0; }))
        primes_.push_back(d);
  }

  // Chooses the remaining factors: their product is `left`, and none is above `at_most`. The factors chosen so far add
  // up to `sum`.
  void choose(int left, int at_most, std::int64_t sum) {
    const std::size_t open = count_ - factors_.size();
    if (open == 1) {
      if (left <= at_most && sum + left <= most_sum_) take(left, [&] { visit_(factors_); });
      return;
    }
    if (sum + sum_of_primes(left, open) > most_sum_) return;
    // The largest factor is at least the open-th root of what is left, and `open` equal factors have the least sum.
    const double equal = root(left, static_cast<int>(open));
    if (static_cast<double>(sum) + equal * static_cast<double>(open) * (1 - slack) > static_cast<double>(most_sum_))
      return;
    const auto least = static_cast<int>(equal * (1 - slack));
    for (auto d = std::lower_bound(divisors_.begin(), divisors_.end(), least); d != divisors_.end(); ++d) {
      if (*d > std::min(at_most, left) || sum + *d + static_cast<std::int64_t>(open) - 1 > most_sum_) break;
      ++tried_;
      if (left % *d == 0) take(*d, [&] { choose(left / *d, *d, sum + *d); });
    }
  }
  std::int64_t tried() const { return tried_; }

 private:
  static constexpr double slack = 1e-9;  // far more than root() is wrong by

  // No product of `count` factors has a smaller sum: a factor is at least the sum of its primes.
  std::int64_t sum_of_primes(int product, std::size_t count) const {
    std::int64_t sum = 0, primes = 0;
    for (const int prime : primes_)
      for (; product % prime == 0; product /= prime, ++primes) sum += prime;
    return sum + std::max<std::int64_t>(0, static_cast<std::int64_t>(count) - primes);
  }

  template <typename Then>
  void take(int factor, Then then) {
    factors_.push_back(factor);
    then();
    factors_.pop_back();
  }

  const std::vector<int> divisors_;
  std::vector<int> primes_;
  const std::size_t count_;
  std::int64_t& most_sum_;
  const std::function<void(const Factors&)>& visit_;
  Factors factors_;
  std::int64_t tried_ = 0;
};

}  // namespace

std::int64_t sum_of(const Factors& factors) { return std::accumulate(factors.begin(), factors.end(), std::int64_t{0}); }

std::int64_t each_factorization(int number, std::size_t count, std::int64_t& most_sum,
                                const std::function<void(const Factors&)>& visit) {
  Search search(number, count, most_sum, visit);
  search.choose(number, number, 0);
  return search.tried();
}

Factors most_balanced(int number, std::size_t count) {
  Factors best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  each_factorization(number, count, least, [&](const Factors& factors) {
    const std::int64_t sum = sum_of(factors);
    if (best.empty() || sum < least || factors < best) best = factors;
    least = sum;
  });
  return best;
}

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
