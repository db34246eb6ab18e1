#include "mapping/neighbour_lists.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "mapping/index.h"
#include "mapping/shifted_runs.h"

namespace marshal::mapping {
namespace {

std::vector<std::int32_t> all_cells(const Grid& grid) {
  std::vector<std::int32_t> cells(at(grid.cells()));
  std::iota(cells.begin(), cells.end(), 0);
  return cells;
}

}  // namespace

NeighbourLists::NeighbourLists(const Grid& grid, const Stencil& stencil)
    : NeighbourLists(grid, stencil, all_cells(grid)) {}

NeighbourLists::NeighbourLists(const Grid& grid, const Stencil& stencil, std::span<const std::int32_t> cells)
    : begin_(at(grid.cells()) + 1) {
  std::vector<bool> is_among(at(grid.cells()));
  for (const std::int32_t cell : cells) is_among[at(cell)] = true;
  // In a symmetric stencil each unordered pair is met twice: half of the steps tell all.
  const bool half = symmetric(stencil);
  const std::vector<int> nowhere(grid.dims.size());
  fill([&](auto visit) {
    for (const Step& step : stencil.steps) {
      if (half && step.offset < nowhere) continue;
      const std::int64_t weight = step.weight * (half ? 2 : 1);
      ShiftedRuns(grid, step.offset).for_each([&](std::int64_t first, std::int64_t shift, std::int64_t count) {
        for (std::int64_t cell = first; cell < first + count; ++cell)
          if (is_among[at(cell)] && is_among[at(cell + shift)])
            visit(static_cast<std::int32_t>(cell), static_cast<std::int32_t>(cell + shift), weight);
      });
    }
  });
}

NeighbourLists::NeighbourLists(std::int32_t cells, std::span<const Sent> sent) : begin_(at(cells) + 1) {
  std::int64_t left = std::int64_t{1} << 62;
  for (const Sent& s : sent) {
    if (std::min(s.from, s.to) < 0 || std::max(s.from, s.to) >= cells)
      throw std::invalid_argument("traffic with a process that does not exist");
    if (s.weight < 0 || s.weight > left) throw std::invalid_argument("traffic that is negative or too large to add up");
    left -= s.weight;
  }
  fill([&](auto visit) {
    for (const Sent& s : sent)
      if (s.from != s.to && s.weight > 0) visit(s.from, s.to, s.weight);
  });
}

template <class EachPair>
void NeighbourLists::fill(EachPair each_pair) {
  each_pair([&](std::int32_t from, std::int32_t to, std::int64_t) {
    ++begin_[at(from) + 1];
    ++begin_[at(to) + 1];
  });
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  neighbours_.resize(at(begin_.back()));
  std::vector<std::int64_t> next(begin_.begin(), begin_.end() - 1);
  each_pair([&](std::int32_t from, std::int32_t to, std::int64_t weight) {
    neighbours_[at(next[at(from)]++)] = {to, weight};
    neighbours_[at(next[at(to)]++)] = {from, weight};
  });
  join_repeated();
}

// Sorts each row and adds up entries of the same cell, in place.
void NeighbourLists::join_repeated() {
  std::int64_t kept = 0;
  for (std::size_t row = 0; row + 1 < begin_.size(); ++row) {
    const auto first = neighbours_.begin() + begin_[row], last = neighbours_.begin() + begin_[row + 1];
    std::sort(first, last, [](const Neighbour& a, const Neighbour& b) { return a.cell < b.cell; });
    begin_[row] = kept;
    for (auto entry = first; entry != last; ++entry) {
      if (kept > begin_[row] && neighbours_[at(kept) - 1].cell == entry->cell)
        neighbours_[at(kept) - 1].weight += entry->weight;
      else
        neighbours_[at(kept++)] = *entry;
    }
  }
  begin_.back() = kept;
  neighbours_.resize(at(kept));
}

Crossing crossing_of(const NeighbourLists& traffic, std::span<const std::int32_t> node_of_rank, std::int32_t nodes) {
  Crossing crossing;
  std::vector<std::int64_t> of_node(at(nodes));
  for (std::int32_t rank = 0; rank < traffic.cells(); ++rank)
    for (const Neighbour& n : traffic.of(rank)) {
      const std::int32_t a = node_of_rank[at(rank)], b = node_of_rank[at(n.cell)];
      if (n.cell < rank || a == b) continue;
      crossing.between_nodes += n.weight;
      of_node[at(a)] += n.weight;
      of_node[at(b)] += n.weight;
    }
  if (!of_node.empty()) crossing.busiest_node = *std::max_element(of_node.begin(), of_node.end());
  return crossing;
}

NeighbourLists traffic_between(const NeighbourLists& traffic, std::span<const std::int32_t> node_of_rank,
                               std::int32_t nodes) {
  std::vector<Sent> sent;
  for (std::int32_t rank = 0; rank < traffic.cells(); ++rank)
    for (const Neighbour& n : traffic.of(rank)) {
      const std::int32_t a = node_of_rank[at(rank)], b = node_of_rank[at(n.cell)];
      if (n.cell < rank || a == b) continue;
      if (!sent.empty() && sent.back().from == a && sent.back().to == b)
        sent.back().weight += n.weight;
      else
        sent.push_back({a, b, n.weight});
    }
  return NeighbourLists(nodes, sent);
}

}  // namespace marshal::mapping
