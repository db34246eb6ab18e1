// The questions of a program about a Cartesian grid. The host answers. If the cells of the grid were moved
// (reordering/moved_cells.h), its answers are translated here. The host finds errors, on the program's communicator,
// before anything is translated.
#include <algorithm>
#include <cstdint>

#include "communicators/communicators.h"
#include "communicators/creation.h"
#include "communicators/map_sources.h"
#include "host/implementation.h"
#include "host/own_rank.h"
#include "host/pmpi.h"
#include "reordering/apart_communicator.h"
#include "reordering/moved_cells.h"
#include "settings/settings_in_force.h"
#include "wrappers/actions.h"

namespace marshal::action {

int cart_coords(HostCall& host, MPI_Comm comm, int rank, int maxdims, int* coords) {
  const MovedCells* cells = moved_cells(comm);
  return cells == nullptr ? host() : pmpi().Cart_coords(comm, cells->cell_of(rank), maxdims, coords);
}

int cart_rank(HostCall& host, MPI_Comm comm, int* rank) {
  const int code = host();
  const MovedCells* cells = moved_cells(comm);
  if (code == MPI_SUCCESS && cells != nullptr) *rank = cells->rank_of(*rank);
  return code;
}

int cart_get(HostCall& host, MPI_Comm comm, int maxdims, int* coords) {
  const int code = host();
  const MovedCells* cells = moved_cells(comm);
  if (code != MPI_SUCCESS || cells == nullptr) return code;
  // MPICH writes all coordinates here, whatever maxdims says, but refuses too few of them in MPI_Cart_coords.
  int ndims = 0;
  if (!is_open_mpi()) pmpi().Cartdim_get(comm, &ndims);
  return pmpi().Cart_coords(comm, cells->cell_of(own_rank(comm)), std::max(maxdims, ndims), coords);
}

int cart_shift(HostCall& host, MPI_Comm comm, int direction, int disp, int* source, int* destination) {
  const int code = host();
  const MovedCells* cells = moved_cells(comm);
  if (code != MPI_SUCCESS || cells == nullptr) return code;
  const int rank = own_rank(comm);
  *source = cells->rank_beside(rank, direction, -std::int64_t{disp});
  *destination = cells->rank_beside(rank, direction, disp);
  return code;
}

// A part of a grid whose cells were moved has the order of the cells: no promise binds its ranks to another
// communicator's.
int cart_sub(HostCall& host, MPI_Comm comm, const int* remain, MPI_Comm* newcomm) {
  const MovedCells* cells = moved_cells(comm);
  Creation creation(name_of(host.call), host.caller);
  const int code = cells == nullptr ? creation.run(host) : creation.run([&] {
    return host.instead([&] { return pmpi().Cart_sub(cells->in_cell_order_alone(), remain, newcomm); });
  });
  if (!made(code, newcomm)) return code;
  if (cells != nullptr) inherit_error_handler(comm, *newcomm);
  const Communicator* from = books::known(comm);
  if (from == nullptr && settings().asks_host) return code;
  books::enter_made(*newcomm, [&] {
    if (!settings().asks_host) return creation.made_unknown(*newcomm);
    if (cells == nullptr) {
      creation.divides(*from);
      creation.made(*newcomm, map_of_cart_sub(comm, from->map, remain), std::nullopt, from->own_job, from->reordered,
                    from->grid);
    } else {
      const RankMap in_cell_order = from->map.derive(cells->ranks_of_cells());
      creation.made(*newcomm, map_of_cart_sub(cells->in_cell_order(), in_cell_order, remain), std::nullopt,
                    from->own_job, from->reordered, from->grid);
    }
  });
  return code;
}

}  // namespace marshal::action
