// Which process of a communicator takes which cell of a Cartesian grid: asks the mappers (mapping/plan_cart.h), shared
// among the communicator's processes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "callsites/call_frames.h"
#include "communicators/communicators.h"
#include "host/joint_work.h"
#include "mapping/plan_cart.h"

namespace marshal {

// True if Marshal can know the nodes of the communicator's processes. The same on all of them.
bool may_know_nodes(const Communicator& entry);

// The traffic that a grid is assumed to have.
struct GridStencil {
  mapping::Stencil stencil;
  std::string text;  // as MARSHAL_CART_STENCIL takes it
  std::string
      weights;  // "learned", "unknown" (then equal ones stand in for them), "given" with offsets, "equal", "8,1"
  std::string learned_from;  // the run that taught it; empty: none did
  bool is_known = false;     // it is what the program sends, or the user says so
};

struct GridPlan {
  mapping::Mapping mapping;
  bool moves = false;  // processes get other ranks; the same on all processes
  // True if mapping.new_rank and old_rank are right for processes of all nodes, not only of this process's own.
  bool complete = true;
  GridStencil stencil;  // that it was made for
};

// Collective over the work's communicator; all processes get the same plan. Null where the nodes of its processes are
// not known to Marshal: that, too, on all or none.
// `frames`: where the program makes the grid; this place finds what earlier runs measured.
// `keeps_ranks`: whether this process knows that no rank may move; set where any process does, and then it is null.
std::shared_ptr<const GridPlan> plan_grid(JointWork& all, const Communicator& entry, const mapping::Grid& grid,
                                          const CallFrames& frames, bool& keeps_ranks);

// The same without communication, for MPI_Cart_map.
std::shared_ptr<const GridPlan> plan_grid_alone(MPI_Comm communicator, const Communicator& entry,
                                                const mapping::Grid& grid);

// The processes of a communicator, where Marshal knows the nodes of all of them; then the node of each rank.
std::optional<RankMap> placed_processes(MPI_Comm communicator, const Communicator& entry);
std::vector<std::int32_t> nodes_of(const RankMap& map);

// By MARSHAL_CART_STENCIL and MARSHAL_CART_WEIGHTS, where they fit grids of so many dimensions and nothing is learned.
GridStencil stencil_in_force(int ndims);

}  // namespace marshal
