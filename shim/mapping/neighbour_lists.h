// For every cell its neighbours, and the weight of each pair in both directions together. Local changes of an
// assignment are judged by them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/grid.h"
#include "mapping/stencil.h"

namespace marshal::mapping {

struct Neighbour {
  std::int32_t cell;
  std::int64_t weight;  // of the pair, both directions
};

// The traffic from one cell to another.
struct Sent {
  std::int32_t from, to;
  std::int64_t weight;
};

class NeighbourLists {
 public:
  NeighbourLists(const Grid& grid, const Stencil& stencil);
  // Lists for these cells only; of any other cell the list is empty.
  NeighbourLists(const Grid& grid, const Stencil& stencil, std::span<const std::int32_t> cells);
  // Any traffic among `cells` cells: pairs in any order, in either direction, repeated ones added up. Pairs of a cell
  // with itself, and weights of 0, are left out. Throws std::invalid_argument for a cell that is not there, a negative
  // weight, or weights whose sum does not fit into 62 bits.
  NeighbourLists(std::int32_t cells, std::span<const Sent> sent);

  std::int32_t cells() const { return static_cast<std::int32_t>(row_of_.size()); }
  std::int64_t pairs() const { return static_cast<std::int64_t>(neighbours_.size()) / 2; }

  // In ascending order of cells, each once.
  std::span<const Neighbour> of(std::int32_t cell) const {
    const std::int32_t row = row_of_[static_cast<std::size_t>(cell)];
    if (row < 0) return {};
    const std::int64_t begin = begin_[static_cast<std::size_t>(row)], end = begin_[static_cast<std::size_t>(row) + 1];
    return std::span(neighbours_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }

 private:
  void join_repeated();

  std::vector<std::int32_t> row_of_;  // of each cell of the grid, -1: none
  std::vector<std::int64_t> begin_;
  std::vector<Neighbour> neighbours_;
};

}  // namespace marshal::mapping
