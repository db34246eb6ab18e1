// MPI_Cart_create and MPI_Cart_map, from the program's arguments to the order in force.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>

#include "communicators/creation.h"
#include "reordering/cart_reordering.h"
#include "reordering/grid_record.h"

namespace marshal {

// The program's arguments. `caller` is its return address.
struct GridCall {
  MPI_Comm comm;
  int ndims;
  const int* dims;
  const int* periods;
  bool reorder;
  const void* caller;
};

// One MPI_Cart_create: construct it, then run create() where it moves processes, else the host's own function, then
// enter() what was made.
class CartCreation {
 public:
  // Plans; collective over call.comm if grids are mapped. Does not throw: if one process fails, all go without a plan.
  explicit CartCreation(const GridCall& call);

  // True if create() takes the place of the host's function. The same on all processes.
  bool moves() const;

  // Makes the grid; only if moves(). Returns MPI's error code. The topology is the host's own: nothing in it needs
  // translating. It allocates nothing itself, so all processes complete it.
  int create(MPI_Comm* newcomm) const;

  // Enters the grid on the books, and notes it for the report. True if processes moved. Does not throw.
  bool enter(Creation& creation, MPI_Comm newcomm) const;

 private:
  enum class Wish { nothing, report, reorder };
  static Wish wish_of(const GridCall& call);
  static bool mixes(const GridCall& call);
  friend std::optional<int> rank_in_grid(const GridCall& call);

  void enter_made(Creation& creation, MPI_Comm newcomm) const;
  RankMap map_of(MPI_Comm newcomm, const Communicator& from) const;
  std::string why_unmoved() const;

  const GridCall call_;
  const Communicator* from_;    // null: some processes may not know the communicator, so the processes could not agree
  bool is_acceptable_ = false;  // if not, the host reports the error
  Wish wish_ = Wish::nothing;
  bool mixes_ = false;        // the program is known to mix ranks (callsites/call_frames.h)
  bool keeps_ranks_ = false;  // they might move, but mixes_, must_keep_ranks() or keeps_by_default()
  std::shared_ptr<const GridPlan> plan_;
};

// MPI_Cart_map: the rank of this process in the order of a grid, MPI_UNDEFINED without a cell. Nothing if the host is
// to answer. Local.
std::optional<int> rank_in_grid(const GridCall& call);

}  // namespace marshal
