// Cartesian grids whose cells were moved, and not their ranks (MARSHAL_CART_MOVE). Rank r of such a communicator is
// rank r of the parent communicator, for programs that use a grid's ranks there. It has another cell than number r in
// row-major order.
//
// The host holds two communicators for it: the program's and a hidden grid. In the program's, the host takes the order
// of the ranks for the order of the cells. The hidden grid has the same processes in the true order of their cells. The
// tables here translate coordinates. Calls in which the host itself uses the topology (neighbourhood collectives,
// MPI_Cart_sub) run on the hidden grid. 8 bytes a process. It is attached to the program's communicator, and freed with
// it. Only a hidden grid that is being duplicated (MPI_Comm_idup) stays until that is complete; the program knows
// nothing of it. An error on the hidden grid, in a call or in the completion of a request, goes to the error handler
// that the program's communicator has then.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "mapping/grid.h"

namespace marshal {

class MovedCells {
 public:
  // Shared by duplicates.
  struct Order {
    mapping::Grid grid;
    std::vector<int> cell_of_rank, rank_of_cell;
  };

  // `grid`: the program's.
  MovedCells(MPI_Comm grid, std::shared_ptr<const Order> order);
  MovedCells(const MovedCells&) = delete;
  MovedCells& operator=(const MovedCells&) = delete;

  // As for Communicator: no process may lack an entry that the others have.
  static void* operator new(std::size_t size);
  [[gnu::noinline]] static void operator delete(void* cells);

  // The host's grid whose ranks are the cells, in row-major order. Waits for others where it is still being made, so it
  // is for calls that all processes make. Thread safe.
  MPI_Comm in_cell_order() const;
  // The same, for a call that makes a communicator from it, and for nonblocking collectives. On Open MPI its duplicates
  // (MPI_Comm_idup), which all processes began before, are complete then: progress starts their steps as further
  // nonblocking collectives of this communicator, in an order that may differ between processes. Open MPI 4.1 hangs.
  MPI_Comm in_cell_order_alone() const;

  // Numbers that are no ranks (MPI_PROC_NULL, or an error that the host reports) stay as they are.
  int cell_of(int rank) const { return translated(order_->cell_of_rank, rank); }
  int rank_of(int cell) const { return translated(order_->rank_of_cell, cell); }
  std::span<const int> ranks_of_cells() const { return order_->rank_of_cell; }
  // The rank so many cells further on in a dimension; MPI_PROC_NULL beyond an end. Local.
  int rank_beside(int rank, int dimension, std::int64_t cells) const;

 private:
  friend int follow_duplicate(MPI_Comm, MPI_Comm, bool);
  friend void move_cells(MPI_Comm, MPI_Comm, std::vector<int>);
  friend void complete_moved_cells();
  friend struct LettingGo;
  ~MovedCells();
  static int translated(const std::vector<int>& table, int number) {
    return number >= 0 && static_cast<std::size_t>(number) < table.size() ? table[static_cast<std::size_t>(number)]
                                                                          : number;
  }
  int duplicate(const MovedCells& source, bool nonblocking);
  // Completes one hidden grid that is still being made and is `wanted`. False if there is none.
  template <class Wanted>
  static bool completes_one(Wanted wanted);
  bool hold() const;
  void let_go() const;

  const MPI_Comm grid_;
  const std::shared_ptr<const Order> order_;
  mutable std::atomic<int> holders_{1};  // the program's communicator, and hidden grids that are made from this one
  mutable std::mutex mutex_;             // of the next three; source_ stays while this is under way
  mutable MPI_Request made_;
  MPI_Comm in_cell_order_;
  mutable const MovedCells* source_ = nullptr;          // held until made_ is complete
  mutable const MovedCells* next_under_way_ = nullptr;  // of all whose made_ is not
};

// True if the program has ever had such a grid. If not, this one load tells that nothing needs translating.
bool any_cells_moved();

// The moved cells of a communicator; null for every other. Valid until the communicator is freed. Thread safe.
const MovedCells* moved_cells(MPI_Comm communicator);

// Attaches moved cells to `grid`: its rank r takes cell `cell_of_rank[r]` of `in_cell_order`, which it takes over.
// Local. If it throws, nothing is attached, and `in_cell_order` still belongs to the caller.
void move_cells(MPI_Comm grid, MPI_Comm in_cell_order, std::vector<int> cell_of_rank);
// Detaches them again, if there are any. Collective.
void put_cells_back(MPI_Comm grid);

// Gives a duplicate its parent's moved cells. Collective if the parent has any. If `nonblocking`, it waits for others
// at most until they have made what they began before: the parent's hidden grid, and on Open MPI its earlier
// duplicates. Returns MPI's error code.
int follow_duplicate(MPI_Comm parent, MPI_Comm duplicate, bool nonblocking);

// Completes all hidden grids that are still being made. Before MPI_Finalize: to the program they do not exist.
void complete_moved_cells();

}  // namespace marshal
