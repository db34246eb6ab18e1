// The best of all ways to place a few cells, by branch and bound: cells take nodes in row-major order, a branch ends
// where it can no longer be better than the best that is known, and of nodes of one size that are still empty only the
// first is tried. Bounded by a count of steps, so that the answer is the same on every machine.
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

// Looks for less Jsum, or as much with less Jmax, than `to_beat` has, and for no larger Jmax than `jmax_limit`, among
// the assignments that `may_win`.
ExactResult place_exactly(const Problem& problem, Traffic to_beat, std::int64_t jmax_limit,
                          const std::function<bool(NodeOfCell)>& may_win);

}  // namespace marshal::mapping
