// Dimensions for a number of processes, in the place of MPI_Dims_create: the most balanced exact factorization, or the
// one on which nodes of a given size have the fewest off-node pairs. As the standard asks, given dimensions stay, and
// those filled in do not increase.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace marshal::mapping {

// The ways to write a number as a product of so many factors that never increase: the dimensions that a balanced grid
// of that many processes can have. Only factorizations whose sum of factors is at most a limit are visited. The visitor
// may lower the limit, so most of the tree is never entered: numbers below 2^31 with many divisors have millions of
// factorizations.

using Factors = std::vector<int>;  // never increasing

std::int64_t sum_of(const Factors& factors);

// number >= 1, count >= 1. Returns how many divisors were tried as a factor, which is what it costs.
std::int64_t each_factorization(int number, std::size_t count, std::int64_t& most_sum,
                                const std::function<void(const Factors&)>& visit);

// The least sum; of equal sums the first in lexical order.
Factors most_balanced(int number, std::size_t count);

enum class DimsRule { balanced, node };

// dims[d] = 0: to be filled in. Nothing if the processes are not a multiple of the given dimensions, a dimension is
// negative, or none is to be filled in: then the host answers. `node_size` is for DimsRule::node; at most 1 means not
// known.
std::optional<std::vector<int>> complete_dims(int processes, std::span<const int> dims, DimsRule rule,
                                              std::int32_t node_size);

}  // namespace marshal::mapping
