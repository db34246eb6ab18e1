// Which process of a communicator takes which cell of a Cartesian grid: asks the mappers (mapping/plan_cart.h), shared
// among the communicator's processes, and keeps what the report tells.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>

#include "host/call_frames.h"
#include "host/communicators.h"
#include "mapping/plan_cart.h"
#include "report/record.h"

namespace marshal {

// The grid that a program asks for, if it is one that a host accepts for a communicator of `size` processes; the host
// shall say what is wrong with any other.
std::optional<mapping::Grid> acceptable_grid(int size, int ndims, const int* dims, const int* periods);

// What the books hold of a communicator whose making Marshal saw on all its processes; else null: of others some
// processes may know and some not, and they could not agree. Touches neither the host nor its error handlers.
const Communicator* seen_by_all(MPI_Comm communicator);

// MARSHAL_CART: whether grids are mapped at all, and whether processes may then be moved.
bool maps_grids(bool program_allows);
bool may_move(bool program_allows);

// MARSHAL_CART_MOVE: whether processes that are moved shall keep their ranks and get other coordinates. `auto` does so
// where the program relies on the ranks: it did not allow reordering (MARSHAL_CART_FORCE), or is known to
// (mixed_ranks.h).
bool keeps_ranks(bool program_allows, const void* caller);

struct GridPlan {
  mapping::Mapping mapping;
  bool moves = false;  // processes get other ranks; the same on all processes
  // Whether mapping.new_rank and old_rank are right for processes of all nodes, not only of this process's own.
  bool complete = true;
};

// Collective over the communicator; all processes get the same plan. Nothing where the nodes of its processes are not
// known to Marshal: that, too, on all or none.
std::shared_ptr<const GridPlan> plan_grid(MPI_Comm communicator, const Communicator& books, const mapping::Grid& grid);

// The same without communication, for MPI_Cart_map.
std::shared_ptr<const GridPlan> plan_grid_alone(MPI_Comm communicator, const Communicator& books,
                                                const mapping::Grid& grid);

enum class Moved { nothing, ranks, coordinates };

// For the report: call on the process that has rank 0 in the grid. `communicator`, which `books` are of, is the one
// that the plan is for. `plan`: null where nothing was looked for; `reason` then says why.
void note_grid(const CallFrames& frames, MPI_Comm communicator, const Communicator& books, const mapping::Grid& grid,
               std::shared_ptr<const GridPlan> plan, Moved moved, const std::string& reason);
void put_grids_into(report::Record& record);

}  // namespace marshal
