// The ways to write a number as a product of so many factors that never increase: the dimensions that a balanced grid
// of that many processes can have. Only factorizations whose sum of factors is at most a limit are visited. The visitor
// may lower the limit, so most of the tree is never entered: numbers below 2^31 with many divisors have millions of
// factorizations.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace marshal::mapping {

using Factors = std::vector<int>;  // never increasing

std::int64_t sum_of(const Factors& factors);

// number >= 1, count >= 1. Returns how many divisors were tried as a factor, which is what it costs.
std::int64_t each_factorization(int number, std::size_t count, std::int64_t& most_sum,
                                const std::function<void(const Factors&)>& visit);

// The least sum; of equal sums the first in lexical order.
Factors most_balanced(int number, std::size_t count);

}  // namespace marshal::mapping
