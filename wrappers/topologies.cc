// Cartesian and graph topologies: the order of their processes, and the communicators that they make.
#include <algorithm>

#include "host/cart_creation.h"
#include "host/enter_made.h"
#include "host/map_sources.h"
#include "host/node_map.h"
#include "mapping/dims.h"
#include "settings/settings_in_force.h"
#include "wrappers/actions.h"
#include "wrappers/short_lived_grids.h"

namespace marshal::action {
namespace {

int topology(HostCall& host, MPI_Comm parent, int reorder, MPI_Comm* handle) {
  Creation creation(name_of(host.call), host.caller);
  const int code = creation.run(host);
  if (!made(code, handle)) return code;
  if (const Communicator* from = books::known(parent))
    enter_made(*handle, [&] {
      creation.made(*handle, map_of_topology(*handle, parent, *from, reorder != 0), std::nullopt, from->own_job);
    });
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

int graph_create(HostCall& host, MPI_Comm comm, int, const int*, const int*, int reorder, MPI_Comm* newcomm) {
  return topology(host, comm, reorder, newcomm);
}
int dist_graph_create(HostCall& host, MPI_Comm comm, int, const int*, const int*, const int*, const int*, MPI_Info,
                      int reorder, MPI_Comm* newcomm) {
  return topology(host, comm, reorder, newcomm);
}
int dist_graph_create_adjacent(HostCall& host, MPI_Comm comm, int, const int*, const int*, int, const int*, const int*,
                               MPI_Info, int reorder, MPI_Comm* newcomm) {
  return topology(host, comm, reorder, newcomm);
}

}  // namespace marshal::action
