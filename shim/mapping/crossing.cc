#include "mapping/crossing.h"

#include <algorithm>
#include <vector>

#include "mapping/index.h"

namespace marshal::mapping {

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
