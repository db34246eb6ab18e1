#include <algorithm>
#include <numeric>

#include "base/dynamic_library.h"
#include "tools/bench_order/rivals.h"

namespace marshal::tools {
namespace {

// As Debian builds METIS 5: numbers of 32 bits.
using Index = std::int32_t;
using Real = float;
constexpr int metis_ok = 1;

using PartGraph = int(Index* vertices, Index* constraints, Index* begin, Index* neighbours, Index* vertex_weights,
                      Index* vertex_sizes, Index* weights, Index* parts, Real* targets, Real* imbalance, Index* options,
                      Index* cut, Index* part);

}  // namespace

std::vector<std::int32_t> metis_partition(const mapping::NeighbourLists& neighbours,
                                          std::span<const std::int32_t> capacity) {
  static DynamicLibrary library{"libmetis.so.5"};
  PartGraph* part_graph = nullptr;
  if (!library.find("METIS_PartGraphRecursive", part_graph)) return {};
  std::int64_t most = 1;
  for (std::int32_t cell = 0; cell < neighbours.cells(); ++cell)
    for (const mapping::Neighbour& n : neighbours.of(cell)) most = std::max(most, n.weight);
  const std::int64_t divisor = std::max<std::int64_t>(1, most >> 16);
  std::vector<Index> begin{0}, list, weights, node(static_cast<std::size_t>(neighbours.cells()));
  for (std::int32_t cell = 0; cell < neighbours.cells(); ++cell) {
    for (const mapping::Neighbour& n : neighbours.of(cell)) {
      list.push_back(n.cell);
      weights.push_back(static_cast<Index>(std::max<std::int64_t>(1, n.weight / divisor)));
    }
    begin.push_back(static_cast<Index>(list.size()));
  }
  const auto room = static_cast<Real>(std::accumulate(capacity.begin(), capacity.end(), std::int64_t{0}));
  std::vector<Real> targets;
  for (const std::int32_t places : capacity) targets.push_back(static_cast<Real>(places) / room);
  Index vertices = neighbours.cells(), constraints = 1, parts = static_cast<Index>(capacity.size()), cut = 0;
  if (part_graph(&vertices, &constraints, begin.data(), list.data(), nullptr, nullptr, weights.data(), &parts,
                 targets.data(), nullptr, nullptr, &cut, node.data()) != metis_ok)
    return {};
  return node;
}

}  // namespace marshal::tools
