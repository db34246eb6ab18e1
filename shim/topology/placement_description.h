// A made-up machine in one line, for tests and planning (MARSHAL_TOPOLOGY, `marshal map --topology`):
//
//   nodes:4              4 nodes, the ranks in blocks, as even as can be
//   nodes:24,24,48       nodes of these sizes, filled in order
//   cyclic:4             4 nodes, ranks dealt out in turn
//   nodes:4 package:2 l3:2 core:6 pu:1     and, after a blank, the inside of each node as an hwloc synthetic string
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace marshal::topology {

struct PlacementDescription {
  std::int32_t nodes = 0;
  std::vector<std::int32_t> sizes;  // empty: even blocks, or dealt out
  bool cyclic = false;
  std::string inside;  // hwloc synthetic string; empty: not described
};

// Throws std::invalid_argument with a message for the user.
PlacementDescription parse_placement(std::string_view text);

// The node of each rank. Throws std::invalid_argument where the sizes do not hold that many ranks.
std::vector<std::int32_t> node_of_rank(const PlacementDescription& description, std::int32_t ranks);

}  // namespace marshal::topology
