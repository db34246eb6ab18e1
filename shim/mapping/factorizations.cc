#include "mapping/factorizations.h"

#include <algorithm>
#include <limits>
#include <numeric>

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

}  // namespace marshal::mapping
