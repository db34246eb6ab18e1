// Cartesian grids whose cells were moved, and not their ranks. Rank r of such a communicator is rank r of the one that
// it was made from, for programs that use a grid's ranks there (MARSHAL_CART_MOVE). Its coordinates are those of
// another cell than number r in row-major order.
//
// The host holds two communicators for it: the program's, whose order the host takes for that of the cells, and a
// hidden grid of the same processes in the order of their cells. The tables here translate coordinates. Calls in which
// the host itself uses the topology (neighbourhood collectives, MPI_Cart_sub) run on the hidden grid. 8 bytes a
// process. Attached to the program's communicator, and freed with it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace marshal {

class MovedCells {
 public:
  // Takes ownership of `in_cell_order`, which may be incomplete (MPI_Comm_idup) until `made` completes.
  MovedCells(MPI_Comm in_cell_order, MPI_Request made, std::shared_ptr<const std::vector<int>> cell_of_rank,
             std::shared_ptr<const std::vector<int>> rank_of_cell);
  ~MovedCells();
  MovedCells(const MovedCells&) = delete;
  MovedCells& operator=(const MovedCells&) = delete;

  // As for Communicator: no process may lack an entry that the others have.
  static void* operator new(std::size_t size);
  [[gnu::noinline]] static void operator delete(void* cells);

  // The host's grid whose ranks are the cells, in row-major order. Thread safe.
  MPI_Comm in_cell_order() const;

  // Numbers that are no ranks (MPI_PROC_NULL, or an error that the host reports) stay as they are.
  int cell_of(int rank) const { return translated(*cell_of_rank_, rank); }
  int rank_of(int cell) const { return translated(*rank_of_cell_, cell); }
  std::span<const int> ranks_of_cells() const { return *rank_of_cell_; }

 private:
  friend int follow_duplicate(MPI_Comm, MPI_Comm, bool);
  friend void move_cells(MPI_Comm, MPI_Comm, std::vector<int>);
  static int translated(const std::vector<int>& table, int number) {
    return number >= 0 && static_cast<std::size_t>(number) < table.size() ? table[static_cast<std::size_t>(number)]
                                                                          : number;
  }

  mutable std::mutex mutex_;  // of the two below
  mutable MPI_Request made_;
  MPI_Comm in_cell_order_;
  std::shared_ptr<const std::vector<int>> cell_of_rank_, rank_of_cell_;
};

// Whether the program has ever had such a grid: if not, one load tells that nothing needs translating.
bool any_cells_moved();

// The moved cells of a communicator; null for every other. Valid until the communicator is freed. Thread safe.
const MovedCells* moved_cells(MPI_Comm communicator);

// Attaches moved cells to `grid`: its rank r takes cell `cell_of_rank[r]` of `in_cell_order`, which it takes over.
// Local. If it throws, nothing is attached, and `in_cell_order` still belongs to the caller.
void move_cells(MPI_Comm grid, MPI_Comm in_cell_order, std::vector<int> cell_of_rank);
// Detaches them again, if there are any. Collective.
void put_cells_back(MPI_Comm grid);

// Gives a duplicate its parent's moved cells. Collective if the parent has any; does not wait for others if
// `nonblocking`. Returns MPI's error code.
int follow_duplicate(MPI_Comm parent, MPI_Comm duplicate, bool nonblocking);

}  // namespace marshal
