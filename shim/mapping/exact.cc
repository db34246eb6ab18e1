#include "mapping/exact.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "mapping/index.h"
#include "mapping/shifted_runs.h"

namespace marshal::mapping {
namespace {

constexpr std::int64_t most_search_steps = 50'000;  // a millisecond or two
constexpr std::int64_t most_cells = 24;             // with more cells the steps would not suffice

class BranchAndBound {
 public:
  BranchAndBound(const Problem& problem, Traffic to_beat, std::int64_t jmax_limit,
                 const std::function<bool(NodeOfCell)>& may_win)
      : problem_(problem),
        best_(to_beat),
        jmax_limit_(jmax_limit),
        may_win_(may_win),
        pairs_(problem.given.size()),
        node_(problem.given.size()),
        bonds_(problem.given.size(), std::vector<std::int64_t>(problem.capacity.size())),
        bonds_of_(problem.given.size()),
        free_(problem.capacity),
        leaving_(problem.capacity.size()) {
    for (const Step& step : problem.stencil.steps)
      ShiftedRuns(problem.grid, step.offset).for_each([&](std::int64_t first, std::int64_t shift, std::int64_t count) {
        for (std::int64_t cell = first; cell < first + count; ++cell) {
          pair(cell, cell + shift).sent += step.weight;
          pair(cell + shift, cell).received += step.weight;
        }
      });
  }

  ExactResult run() {
    descend(0, 0);
    return {steps_ <= most_search_steps, std::move(found_)};
  }

 private:
  struct Pair {
    std::size_t cell;
    std::int64_t sent, received;
  };

  Pair& pair(std::int64_t cell, std::int64_t other) {
    auto& pairs = pairs_[at(cell)];
    const std::size_t partner = at(other);
    auto known = std::find_if(pairs.begin(), pairs.end(), [=](const Pair& pair) { return pair.cell == partner; });
    return known != pairs.end() ? *known : pairs.emplace_back(Pair{partner, 0, 0});
  }

  void descend(std::size_t cell, std::int64_t jsum) {
    const std::int64_t jmax = *std::max_element(leaving_.begin(), leaving_.end());
    // Both only grow.
    if (jmax > jmax_limit_ || std::pair(jsum + still_to_cross(cell), jmax) >= std::pair(best_.jsum, best_.jmax)) return;
    if (cell == node_.size()) {
      if (!may_win_(node_)) return;
      best_ = {jsum, jmax};
      found_ = node_;
      return;
    }
    for (std::int32_t node = 0; node < problem_.nodes(); ++node) {
      if (free_[at(node)] == 0 || is_like_an_earlier(node)) continue;
      if (++steps_ > most_search_steps) return;
      const std::int64_t crossing = bonds_of_[cell] - bonds_[cell][at(node)];
      put(cell, node, 1);
      descend(cell + 1, jsum + crossing);
      put(cell, node, -1);
    }
  }

  // Puts the cell on the node, or takes it away again.
  void put(std::size_t cell, std::int32_t node, int sign) {
    node_[cell] = node;
    free_[at(node)] -= sign;
    for (const Pair& pair : pairs_[cell]) {
      if (pair.cell > cell) {
        bonds_[pair.cell][at(node)] += sign * (pair.sent + pair.received);
        bonds_of_[pair.cell] += sign * (pair.sent + pair.received);
      } else if (node_[pair.cell] != node) {
        leaving_[at(node)] += sign * pair.sent;
        leaving_[at(node_[pair.cell])] += sign * pair.received;
      }
    }
  }

  // A lower bound of the weight that will cross nodes between the cells from this one on and the placed cells: at best,
  // each cell gets the node with room that it exchanges most with.
  std::int64_t still_to_cross(std::size_t cell) const {
    std::int64_t sum = 0;
    for (; cell < node_.size(); ++cell) {
      if (bonds_of_[cell] == 0) continue;
      std::int64_t most = 0;
      for (std::size_t node = 0; node < free_.size(); ++node)
        if (free_[node] > 0) most = std::max(most, bonds_[cell][node]);
      sum += bonds_of_[cell] - most;
    }
    return sum;
  }

  bool is_empty(std::int32_t node) const { return free_[at(node)] == problem_.capacity[at(node)]; }
  bool is_like_an_earlier(std::int32_t node) const {
    if (!is_empty(node)) return false;
    for (std::int32_t other = 0; other < node; ++other)
      if (is_empty(other) && free_[at(other)] == free_[at(node)]) return true;
    return false;
  }

  const Problem& problem_;
  Traffic best_;
  const std::int64_t jmax_limit_;
  const std::function<bool(NodeOfCell)>& may_win_;
  std::vector<std::vector<Pair>> pairs_;          // of each cell
  std::vector<std::int32_t> node_;                // of each cell that is placed
  std::vector<std::vector<std::int64_t>> bonds_;  // weight between a cell and the placed cells of each node,
  std::vector<std::int64_t> bonds_of_;            // and of all nodes
  std::vector<std::int32_t> free_, found_;
  std::vector<std::int64_t> leaving_;  // of each node, to placed cells of others
  std::int64_t steps_ = 0;
};

}  // namespace

ExactResult place_exactly(const Problem& problem, Traffic to_beat, std::int64_t jmax_limit,
                          const std::function<bool(NodeOfCell)>& may_win) {
  if (problem.cells() == 0 || problem.cells() > most_cells) return {};
  return BranchAndBound(problem, to_beat, jmax_limit, may_win).run();
}

}  // namespace marshal::mapping
