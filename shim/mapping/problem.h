// The input of every mapper: the grid, the stencil, how many processes each node offers, and the order in which the
// processes would take the cells if nothing moved. A mapper answers with the node of every cell; placement.h then
// decides which process of the node takes which of its cells.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mapping/grid.h"
#include "mapping/stencil.h"

namespace marshal::mapping {

// A level above the nodes: switches, racks.
struct NodeLevel {
  std::string name;
  std::vector<std::int32_t> domain_of_node;  // any numbers
  bool operator==(const NodeLevel&) const = default;
};

// The dimension to which nodecart gives a prime factor when several remain equally long. Its description leaves that
// open; with `first` the published table for a 3-D grid comes out as printed, for the dimensions in the order 16x32x32.
enum class Ties : std::uint8_t { first, last };

struct Problem {
  Grid grid;
  Stencil stencil;
  std::vector<std::int32_t> capacity;  // processes of each node; their sum is at least the number of cells
  std::vector<std::int32_t> given;     // node of each cell in the given order
  Ties ties = Ties::first;

  std::int32_t nodes() const { return static_cast<std::int32_t>(capacity.size()); }
  std::int64_t cells() const { return static_cast<std::int64_t>(given.size()); }
};

// The nodes of ranks numbered 0, 1, … by first appearance, and the ranks that each has. Any integers may name them.
struct NumberedNodes {
  std::vector<std::int32_t> of_rank, capacity;

  explicit NumberedNodes(std::span<const std::int32_t> node_of_rank);
};

// The first cells() ranks hold the cells in the given order. Nodes get numbers as above. Throws std::invalid_argument
// if there are fewer ranks than cells.
Problem make_problem(Grid grid, Stencil stencil, std::span<const std::int32_t> node_of_rank);

// The common number of processes a node if all nodes offer the same and the cells fill whole nodes.
std::optional<std::int32_t> equal_node_size(const Problem& problem);

// A node and how many cells it takes, in the order in which a mapper walks over nodes.
struct NodeShare {
  std::int32_t node;
  std::int32_t cells;
};

enum class NodeOrder { as_given, descending, ascending, commonest_first };

// Whole nodes in that order until all cells are taken; the last may take fewer than it offers.
std::vector<NodeShare> node_shares(const Problem& problem, NodeOrder order = NodeOrder::as_given);

struct MapperResult {
  std::vector<std::int32_t> node_of_cell;  // empty if the mapper does not apply
  std::string why_not;                     // then the reason, for the user
  std::string detail;                      // e.g. "blocks of 6x8", for the report

  bool applies() const { return why_not.empty(); }
};

MapperResult given_order(const Problem& problem);

}  // namespace marshal::mapping
