#include "reordering/topology_neighbours.h"

#include <memory>
#include <optional>

#include "communicators/communicators.h"
#include "communicators/sent_messages.h"
#include "host/pmpi.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

using Ranks = std::vector<int>;

// Neighbours in a grid: in each dimension the one before, then the one behind (MPI 3.1, section 7.6).
std::optional<Ranks> grid_neighbours(MPI_Comm communicator) {
  int dimensions = 0;
  if (pmpi().Cartdim_get(communicator, &dimensions) != MPI_SUCCESS) return std::nullopt;
  Ranks ranks;
  for (int d = 0; d < dimensions; ++d) {
    int before = MPI_PROC_NULL, behind = MPI_PROC_NULL;
    if (pmpi().Cart_shift(communicator, d, 1, &before, &behind) != MPI_SUCCESS) return std::nullopt;
    ranks.push_back(before);
    ranks.push_back(behind);
  }
  return ranks;
}

std::optional<Ranks> graph_neighbours(MPI_Comm communicator) {
  const int rank = own_rank(communicator);
  int count = 0;
  if (pmpi().Graph_neighbors_count(communicator, rank, &count) != MPI_SUCCESS) return std::nullopt;
  Ranks ranks(static_cast<std::size_t>(count) + 1);  // hosts refuse null
  if (pmpi().Graph_neighbors(communicator, rank, count, ranks.data()) != MPI_SUCCESS) return std::nullopt;
  ranks.pop_back();
  return ranks;
}

std::optional<Ranks> distributed_graph_neighbours(MPI_Comm communicator) {
  int in = 0, out = 0, weighted = 0;
  if (pmpi().Dist_graph_neighbors_count(communicator, &in, &out, &weighted) != MPI_SUCCESS) return std::nullopt;
  Ranks sources(static_cast<std::size_t>(in) + 1), source_weights(sources.size());
  Ranks ranks(static_cast<std::size_t>(out) + 1), weights(ranks.size());
  if (pmpi().Dist_graph_neighbors(communicator, in, sources.data(), source_weights.data(), out, ranks.data(),
                                  weights.data()) != MPI_SUCCESS)
    return std::nullopt;
  ranks.pop_back();
  return ranks;
}

std::optional<Ranks> neighbours_of(MPI_Comm communicator) {
  int topology = MPI_UNDEFINED;
  if (pmpi().Topo_test(communicator, &topology) != MPI_SUCCESS) return std::nullopt;
  switch (topology) {
    case MPI_CART:
      return grid_neighbours(communicator);
    case MPI_GRAPH:
      return graph_neighbours(communicator);
    case MPI_DIST_GRAPH:
      return distributed_graph_neighbours(communicator);
    default:
      return std::nullopt;
  }
}

}  // namespace

const std::vector<PeerName>* topology_neighbours(MPI_Comm communicator) {
  const Communicator* const entry = books::known(communicator);
  if (entry == nullptr) return nullptr;
  if (const auto* known = entry->neighbours.load(std::memory_order_acquire)) return known;
  const std::optional<Ranks> ranks = settings().asks_host ? neighbours_of(communicator) : std::nullopt;
  if (!ranks) return nullptr;
  auto names = std::make_unique<std::vector<PeerName>>();
  for (const int rank : *ranks) names->push_back(rank < 0 ? no_neighbour : peer_name(communicator, rank));
  const std::vector<PeerName>* first = nullptr;
  if (entry->neighbours.compare_exchange_strong(first, names.get(), std::memory_order_acq_rel)) return names.release();
  return first;  // another thread was faster
}

}  // namespace marshal
