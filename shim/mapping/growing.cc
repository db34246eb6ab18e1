#include "mapping/growing.h"

#include <queue>

#include "mapping/index.h"

namespace marshal::mapping {
namespace {

// Cells by the strength of their pull; entries that a later pull replaced are skipped.
class Queue {
 public:
  explicit Queue(std::size_t cells) : pull_(cells, 0) {}

  void pull(std::int32_t cell, std::int64_t weight) { entries_.push({pull_[at(cell)] += weight, cell}); }
  void forget() {
    while (!entries_.empty()) {
      pull_[at(entries_.top().cell)] = 0;
      entries_.pop();
    }
  }
  // The cell not yet taken that is pulled hardest, or -1.
  std::int32_t next(const std::vector<std::int32_t>& node_of_cell) {
    while (!entries_.empty()) {
      const Entry top = entries_.top();
      entries_.pop();
      if (node_of_cell[at(top.cell)] < 0 && top.weight == pull_[at(top.cell)]) return top.cell;
    }
    return -1;
  }

 private:
  struct Entry {
    std::int64_t weight;
    std::int32_t cell;
    bool operator<(const Entry& other) const {
      return weight != other.weight ? weight < other.weight : cell > other.cell;
    }
  };
  std::vector<std::int64_t> pull_;
  std::priority_queue<Entry> entries_;
};

}  // namespace

std::vector<std::int32_t> grow(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity) {
  const std::int32_t cells = neighbours.cells();
  std::vector<std::int32_t> node_of_cell(at(cells), -1);
  Queue by_all(at(cells)), by_node(at(cells));
  std::int32_t first_left = 0, placed = 0;
  for (std::size_t node = 0; node < capacity.size() && placed < cells; ++node) {
    by_node.forget();
    for (std::int32_t place = 0; place < capacity[node] && placed < cells; ++place) {
      std::int32_t cell = by_node.next(node_of_cell);
      if (cell < 0) cell = by_all.next(node_of_cell);
      if (cell < 0) {
        while (node_of_cell[at(first_left)] >= 0) ++first_left;
        cell = first_left;
      }
      node_of_cell[at(cell)] = static_cast<std::int32_t>(node);
      ++placed;
      for (const Neighbour& n : neighbours.of(cell)) {
        if (node_of_cell[at(n.cell)] >= 0) continue;
        by_node.pull(n.cell, n.weight);
        by_all.pull(n.cell, n.weight);
      }
    }
  }
  return node_of_cell;
}

}  // namespace marshal::mapping
