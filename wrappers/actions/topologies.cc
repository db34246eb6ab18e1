// Cartesian and graph topologies: the order of their processes, and the communicators that they make.
#include <algorithm>

#include "communicators/map_sources.h"
#include "host/node_map.h"
#include "mapping/dims.h"
#include "reordering/cart_creation.h"
#include "reordering/graph_creation.h"
#include "settings/settings_in_force.h"
#include "wrappers/actions/short_lived_grids.h"
#include "wrappers/entry/actions.h"

namespace marshal::action {
namespace {

// A graph topology; `reorder_at`: which argument allows reordering.
int graph(HostCall& host, const GraphCall& call, std::size_t reorder_at, MPI_Comm* newcomm) {
  std::optional<GraphCreation> graph;
  if (newcomm != nullptr) graph.emplace(call);
  Creation creation(name_of(host.call), host.caller);
  if (!graph) return creation.run(host);
  const auto run_on = [&](MPI_Comm comm) { return host.run_with(comm, reorder_at, 0); };
  const bool is_ours = graph->without_reordering();
  const int code = is_ours ? host.instead([&] { return creation.run([&] { return graph->make(run_on, newcomm); }); })
                           : creation.run(host);
  if (!made(code, newcomm)) return code;
  if (is_ours) graph->improve(newcomm);
  graph->enter(creation, *newcomm);
  return code;
}

}  // namespace

int cart_create(HostCall& host, MPI_Comm comm, int ndims, const int* dims, const int* periods, int reorder,
                MPI_Comm* newcomm) {
  std::optional<CartCreation> cart;
  if (newcomm != nullptr) cart.emplace(GridCall{comm, ndims, dims, periods, reorder != 0, host.caller});
  Creation creation(name_of(host.call), host.caller);
  const int code = cart && cart->moves()
                       ? host.instead([&] { return creation.run([&] { return cart->create(newcomm); }); })
                       : creation.run(host);
  if (cart && made(code, newcomm) && cart->enter(creation, *newcomm)) count(Tally::reordered_grids);
  if (cart && cart->moves() && made(code, newcomm)) HostCall::own([&] { watch_grid(*newcomm); });
  return code;
}

int cart_sub(HostCall& host, MPI_Comm comm, const int* remain, MPI_Comm* newcomm) {
  Creation creation(name_of(host.call), host.caller);
  const int code = creation.run(host);
  if (!made(code, newcomm)) return code;
  const Communicator* from = books::known(comm);
  if (from == nullptr && settings().asks_host) return code;
  books::enter_made(*newcomm, [&] {
    if (!settings().asks_host) return creation.made_unknown(*newcomm);
    creation.divides(*from);
    creation.made(*newcomm, map_of_cart_sub(comm, from->map, remain), std::nullopt, from->own_job, from->reordered,
                  from->grid);
  });
  return code;
}

int cart_map(HostCall& host, MPI_Comm comm, int ndims, const int* dims, const int* periods, int* newrank) {
  std::optional<int> rank;
  HostCall::own([&] {
    if (newrank != nullptr) rank = rank_in_grid({comm, ndims, dims, periods, true, host.caller});
  });
  if (!rank) return host();
  *newrank = *rank;
  return MPI_SUCCESS;
}

int dims_create(HostCall& host, int nnodes, int ndims, int* dims) {
  const auto rule = settings().dims;
  if (!rule || ndims < 1 || dims == nullptr) return host();
  bool answered = false;
  HostCall::own([&] {
    const auto completed =
        mapping::complete_dims(nnodes, {dims, static_cast<std::size_t>(ndims)}, *rule, node_map().most_per_node());
    if (!completed) return;
    std::copy(completed->begin(), completed->end(), dims);
    answered = true;
  });
  return answered ? MPI_SUCCESS : host();
}

int graph_create(HostCall& host, MPI_Comm comm, int nnodes, const int* index, const int* edges, int reorder,
                 MPI_Comm* newcomm) {
  return graph(host, {comm, reorder != 0, WholeGraph{nnodes, index, edges}, {}, {}}, 4, newcomm);
}
int graph_map(HostCall& host, MPI_Comm comm, int nnodes, const int* index, const int* edges, int* newrank) {
  std::optional<int> rank;
  HostCall::own([&] {
    if (newrank != nullptr) rank = rank_in_graph({comm, true, WholeGraph{nnodes, index, edges}, {}, {}});
  });
  if (!rank) return host();
  *newrank = *rank;
  return MPI_SUCCESS;
}
int dist_graph_create(HostCall& host, MPI_Comm comm, int n, const int* sources, const int* degrees,
                      const int* destinations, const int* weights, MPI_Info info, int reorder, MPI_Comm* newcomm) {
  return graph(host, {comm, reorder != 0, {}, info, AnyEdges{n, sources, degrees, destinations, weights}}, 7, newcomm);
}
int dist_graph_create_adjacent(HostCall& host, MPI_Comm comm, MPI_Info info, int reorder, MPI_Comm* newcomm) {
  return graph(host, {comm, reorder != 0, {}, info, {}}, 8, newcomm);
}

}  // namespace marshal::action
