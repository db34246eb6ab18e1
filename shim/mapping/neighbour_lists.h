// For every cell its neighbours, and the weight of each pair in both directions together. Local changes of an
// assignment are judged by them.
#pragma once

#include <compare>
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
  // Only the pairs among these cells.
  NeighbourLists(const Grid& grid, const Stencil& stencil, std::span<const std::int32_t> cells);
  // Any traffic among `cells` cells: pairs in any order, in either direction, repeated ones added up. Pairs of a cell
  // with itself, and weights of 0, are left out. Throws std::invalid_argument for a cell that is not there, a negative
  // weight, or weights whose sum does not fit into 62 bits.
  NeighbourLists(std::int32_t cells, std::span<const Sent> sent);

  std::int32_t cells() const { return static_cast<std::int32_t>(begin_.size()) - 1; }
  std::int64_t pairs() const { return static_cast<std::int64_t>(neighbours_.size()) / 2; }

  // In ascending order of cells, each once.
  std::span<const Neighbour> of(std::int32_t cell) const {
    const std::int64_t begin = begin_[static_cast<std::size_t>(cell)], end = begin_[static_cast<std::size_t>(cell) + 1];
    return std::span(neighbours_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }

 private:
  // `each_pair` calls what it is given with both cells and the weight of each pair; it is called twice.
  template <class EachPair>
  void fill(EachPair each_pair);
  void join_repeated();

  std::vector<std::int64_t> begin_;  // of each cell's neighbours
  std::vector<Neighbour> neighbours_;
};

// The weight that crosses the borders of groups of ranks, in exact integers: of nodes, or of levels above them.

// Weight that crosses nodes, or domains of another level, each pair once.
struct Crossing {
  std::int64_t between_nodes = 0;
  std::int64_t busiest_node = 0;  // in and out
  auto operator<=>(const Crossing&) const = default;
};
Crossing crossing_of(const NeighbourLists& traffic, std::span<const std::int32_t> node_of_rank, std::int32_t nodes);

// Weights of several levels, added up.
__extension__ using WeightedSum = unsigned __int128;

// The traffic between nodes: the nodes are its cells.
NeighbourLists traffic_between(const NeighbourLists& traffic, std::span<const std::int32_t> node_of_rank,
                               std::int32_t nodes);

}  // namespace marshal::mapping
