// Cartesian and graph topologies: the order of their processes, and the communicators that they make.
#include <algorithm>
#include <string>
#include <vector>

#include "host/cart_reordering.h"
#include "host/communicators.h"
#include "host/creation.h"
#include "host/map_sources.h"
#include "host/moved_cells.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/settings.h"
#include "mapping/dims.h"
#include "wrappers/actions.h"

namespace marshal::action {
namespace {

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

// The grid over the processes in the plan's order. The host's own topology, so that nothing in it needs translating.
int create_in_order(MPI_Comm comm, const GridPlan& plan, const mapping::Grid& grid, MPI_Comm* newcomm) {
  const std::vector<int> periods(grid.periodic.begin(), grid.periodic.end());
  int own = 0;
  pmpi().Comm_rank(comm, &own);
  MPI_Comm ordered = predefined().comm_null;
  int code = pmpi().Comm_split(comm, 0, plan.mapping.new_rank[static_cast<std::size_t>(own)], &ordered);
  if (code != MPI_SUCCESS) return code;
  code = pmpi().Cart_create(ordered, grid.ndims(), grid.dims.data(), periods.data(), 0, newcomm);
  pmpi().Comm_free(&ordered);
  return code;
}

std::string why_unmoved(const GridPlan* plan, bool allowed) {
  if (plan == nullptr) {
    if (settings().is(Option::kCart, "off")) return "MARSHAL_CART=off";
    return allowed ? "the nodes of the processes are not known" : "the program did not allow reordering";
  }
  if (!plan->moves) return {};  // the plan says why
  return settings().is(Option::kCart, "report") ? "MARSHAL_CART=report: what would have been" : "";
}

// Which cell each process of the plan's communicator takes.
std::vector<int> cells_of_ranks(MPI_Comm grid, const GridPlan& plan) {
  if (plan.complete) return {plan.mapping.new_rank.begin(), plan.mapping.new_rank.end()};
  int own = 0, size = 0;
  pmpi().Comm_rank(grid, &own);
  pmpi().Comm_size(grid, &size);
  std::vector<int> cells(static_cast<std::size_t>(size));
  const int mine = plan.mapping.new_rank[static_cast<std::size_t>(own)];
  pmpi().Allgather(&mine, 1, predefined().type_int, cells.data(), 1, predefined().type_int, grid);
  return cells;
}

// The host's own grid, in which every process has the rank that it had, and then other cells for its processes. The
// grid stands whatever becomes of the cells.
int in_place(HostCall& host, MPI_Comm comm, const mapping::Grid& grid, MPI_Comm* newcomm) {
  const std::vector<int> periods(grid.periodic.begin(), grid.periodic.end());
  Creation creation(name_of(host.call), host.caller);
  const int code = creation.run([&] {
    return host.instead(
        [&] { return pmpi().Cart_create(comm, grid.ndims(), grid.dims.data(), periods.data(), 0, newcomm); });
  });
  if (!made(code, newcomm)) return code;
  enter(creation, comm, *newcomm, false);
  const Communicator* books = books::find(*newcomm);
  const auto plan = books != nullptr ? plan_grid(*newcomm, *books, grid) : nullptr;
  bool moves = plan && plan->moves;
  if (moves) {
    MPI_Comm in_cell_order = predefined().comm_null;
    moves = create_in_order(*newcomm, *plan, grid, &in_cell_order) == MPI_SUCCESS &&
            move_cells(*newcomm, in_cell_order, cells_of_ranks(*newcomm, *plan)) == MPI_SUCCESS;
  }
  if (moves) count(Tally::reordered_grids);
  int own = 0;
  pmpi().Comm_rank(*newcomm, &own);
  if (own == 0 && books != nullptr) {
    const Moved moved = moves ? Moved::coordinates : Moved::nothing;
    note_grid(creation.frames(), *newcomm, *books, grid, plan, moved, why_unmoved(plan.get(), true));
  }
  return code;
}

}  // namespace

int cart_create(HostCall& host, MPI_Comm comm, int ndims, const int* dims, const int* periods, int reorder,
                MPI_Comm* newcomm) {
  const Communicator* from = newcomm != nullptr ? seen_by_all(comm) : nullptr;
  const auto grid = from != nullptr ? acceptable_grid(from->map.size(), ndims, dims, periods) : std::nullopt;
  if (!grid) return topology(host, comm, reorder, newcomm);
  if (may_move(reorder != 0) && keeps_ranks(reorder != 0, host.caller)) return in_place(host, comm, *grid, newcomm);

  Creation creation(name_of(host.call), host.caller);
  const bool allowed = reorder != 0;
  const auto plan = maps_grids(allowed) ? plan_grid(comm, *from, *grid) : nullptr;
  const bool moves = plan && plan->moves && may_move(allowed);
  const int code =
      moves ? creation.run([&] { return host.instead([&] { return create_in_order(comm, *plan, *grid, newcomm); }); })
            : creation.run(host);
  if (!made(code, newcomm)) return code;
  if (moves) count(Tally::reordered_grids);
  int own_cell = 0, own = 0;
  pmpi().Comm_rank(*newcomm, &own_cell);
  if (own_cell == 0) {
    const Moved moved = moves ? Moved::ranks : Moved::nothing;
    note_grid(creation.frames(), comm, *from, *grid, plan, moved, why_unmoved(plan.get(), allowed));
  }
  if (!moves) {
    enter(creation, comm, *newcomm, allowed);
  } else if (plan->complete) {
    creation.made(*newcomm, from->map.derive(plan->mapping.old_rank), std::nullopt, from->own_job);
  } else {
    pmpi().Comm_rank(comm, &own);
    creation.made(*newcomm, map_by_exchange(*newcomm, from->map, own), std::nullopt, from->own_job);
  }
  return code;
}

int cart_map(HostCall& host, MPI_Comm comm, int ndims, const int* dims, const int* periods, int* newrank) {
  const Communicator* from = newrank != nullptr ? seen_by_all(comm) : nullptr;
  const auto grid = from != nullptr ? acceptable_grid(from->map.size(), ndims, dims, periods) : std::nullopt;
  const auto plan = grid && may_move(true) && !keeps_ranks(true, host.caller) ? plan_grid_alone(comm, *from, *grid) : nullptr;
  if (!plan || !plan->moves) return host();
  int own = 0;
  pmpi().Comm_rank(comm, &own);
  const std::int32_t cell = plan->mapping.new_rank[static_cast<std::size_t>(own)];
  *newrank = cell < grid->cells() ? cell : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int dims_create(HostCall& host, int nnodes, int ndims, int* dims) {
  const bool by_node = settings().is(Option::kDims, "node");
  if ((!by_node && !settings().is(Option::kDims, "balanced")) || ndims < 1 || dims == nullptr) return host();
  const auto rule = by_node ? mapping::DimsRule::node : mapping::DimsRule::balanced;
  const auto completed =
      mapping::complete_dims(nnodes, {dims, static_cast<std::size_t>(ndims)}, rule, node_map().most_per_node());
  if (!completed) return host();
  std::copy(completed->begin(), completed->end(), dims);
  return MPI_SUCCESS;
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
