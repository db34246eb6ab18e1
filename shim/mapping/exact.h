// The best of all ways to place a few cells, by branch and bound. Cells take nodes in row-major order. A branch ends
// where it can no longer be better than the best that is known. Among empty nodes of one size, only the first is tried.
// The number of steps is limited, not the time, so the answer is the same on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mapping/metrics.h"
#include "mapping/problem.h"

namespace marshal::mapping {

struct ExactResult {
  bool proved = false;                     // all ways were counted: nothing is better than this, or than `to_beat`
  std::vector<std::int32_t> node_of_cell;  // empty: nothing better than `to_beat` was met
};

// Looks for an assignment that is better than `to_beat`: with less Jsum, or with equal Jsum and less Jmax. Its Jmax
// must not exceed `jmax_limit`, and `may_win` must accept it.
ExactResult place_exactly(const Problem& problem, Traffic to_beat, std::int64_t jmax_limit,
                          const std::function<bool(NodeOfCell)>& may_win);

}  // namespace marshal::mapping
