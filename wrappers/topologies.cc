// Cartesian and graph topologies: the communicators that they make.
#include "host/communicators.h"
#include "host/creation.h"
#include "host/map_sources.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "wrappers/actions.h"

namespace marshal::action {
namespace {

bool made(int code, const MPI_Comm* handle) {
  return code == MPI_SUCCESS && handle != nullptr && *handle != predefined().comm_null;
}

// With reorder the host may put anybody anywhere: the members tell each other. Without, they are the parent's first.
void enter(Creation& creation, MPI_Comm parent, MPI_Comm handle, bool reordered) {
  const Communicator* from = books::known(parent);
  if (from == nullptr) return;
  int size = 0, own = 0;
  pmpi().Comm_size(handle, &size);
  pmpi().Comm_rank(parent, &own);
  RankMap map;
  if (!reordered)
    map = map_of_prefix(from->map, size);
  else if (from->own_job)
    map = map_by_exchange(handle, from->map, own);
  else
    map = map_by_learning(handle);
  creation.made(handle, std::move(map), std::nullopt, from->own_job);
}

int topology(HostCall& host, MPI_Comm parent, int reorder, MPI_Comm* handle) {
  Creation creation(name_of(host.call), host.caller);
  const int code = creation.run(host);
  if (made(code, handle)) enter(creation, parent, *handle, reorder != 0);
  return code;
}

}  // namespace

int cart_create(HostCall& host, MPI_Comm comm, int, const int*, const int*, int reorder, MPI_Comm* newcomm) {
  return topology(host, comm, reorder, newcomm);
}

int cart_sub(HostCall& host, MPI_Comm comm, const int* remain, MPI_Comm* newcomm) {
  Creation creation(name_of(host.call), host.caller);
  const int code = creation.run(host);
  if (!made(code, newcomm)) return code;
  if (const Communicator* from = books::known(comm))
    creation.made(*newcomm, map_of_cart_sub(comm, from->map, remain), std::nullopt, from->own_job);
  return code;
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
