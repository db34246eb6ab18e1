#include "host/moved_cells.h"

#include <atomic>
#include <new>

#include "base/spare_objects.h"
#include "host/checked.h"
#include "host/communicators.h"
#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal {
namespace {

// Set for good when the first grid's cells are moved: programs without such grids never look further.
std::atomic<bool> any_moved{false};

int not_copied(MPI_Comm, int, void*, void*, void*, int* copied) {
  *copied = 0;  // a duplicate gets a hidden grid of its own, which takes a collective call: follow_duplicate()
  return MPI_SUCCESS;
}

int freed_with_it(MPI_Comm, int, void* value, void*) {
  delete static_cast<MovedCells*>(value);
  return MPI_SUCCESS;
}

int keyval() {
  static const int the = [] {
    int made = -1;
    pmpi().Comm_create_keyval(not_copied, freed_with_it, &made, nullptr);
    return made;
  }();
  return the;
}

constinit SpareObjects<MovedCells> spare;

int tie(MPI_Comm grid, std::unique_ptr<MovedCells> cells) {
  const int code = pmpi().Comm_set_attr(grid, keyval(), cells.get());
  if (code == MPI_SUCCESS) {
    static_cast<void>(cells.release());  // the host's now: freed_with_it()
    any_moved.store(true, std::memory_order_release);
  }
  return code;
}

}  // namespace

void* MovedCells::operator new(std::size_t size) {
  if (void* const room = ::operator new(size, std::nothrow)) return room;
  if (void* const room = spare.take()) return room;
  throw std::bad_alloc();
}

void MovedCells::operator delete(void* cells) {
  if (!spare.give_back(cells)) ::operator delete(cells);
}

MovedCells::MovedCells(MPI_Comm in_cell_order, MPI_Request made, std::shared_ptr<const std::vector<int>> cell_of_rank,
                       std::shared_ptr<const std::vector<int>> rank_of_cell)
    : made_(made),
      in_cell_order_(in_cell_order),
      cell_of_rank_(std::move(cell_of_rank)),
      rank_of_cell_(std::move(rank_of_cell)) {}

MovedCells::~MovedCells() {
  in_cell_order();  // complete, so that it can be freed
  if (in_cell_order_ != predefined().comm_null) pmpi().Comm_free(&in_cell_order_);
}

MPI_Comm MovedCells::in_cell_order() const {
  const std::lock_guard lock(mutex_);
  if (made_ != predefined().request_null) pmpi().Wait(&made_, MPI_STATUS_IGNORE);
  return in_cell_order_;
}

bool any_cells_moved() { return any_moved.load(std::memory_order_acquire); }

const MovedCells* moved_cells(MPI_Comm communicator) {
  if (!any_cells_moved()) return nullptr;
  // The host is not asked about handles that may be invalid: it would call an error handler of the program.
  if (books::find(communicator) == nullptr) return nullptr;
  void* value = nullptr;
  int found = 0;
  if (pmpi().Comm_get_attr(communicator, keyval(), &value, &found) != MPI_SUCCESS || !found) return nullptr;
  return static_cast<const MovedCells*>(value);
}

void move_cells(MPI_Comm grid, MPI_Comm in_cell_order, std::vector<int> cell_of_rank) {
  std::vector<int> rank_of_cell(cell_of_rank.size());
  for (std::size_t rank = 0; rank < cell_of_rank.size(); ++rank)
    rank_of_cell[static_cast<std::size_t>(cell_of_rank[rank])] = static_cast<int>(rank);
  auto cells = std::make_unique<MovedCells>(predefined().comm_null, predefined().request_null,
                                            std::make_shared<const std::vector<int>>(std::move(cell_of_rank)),
                                            std::make_shared<const std::vector<int>>(std::move(rank_of_cell)));
  MovedCells& entered = *cells;
  checked("MPI_Comm_set_attr", tie(grid, std::move(cells)));
  entered.in_cell_order_ = in_cell_order;
}

void put_cells_back(MPI_Comm grid) {
  if (moved_cells(grid) != nullptr) pmpi().Comm_delete_attr(grid, keyval());
}

int follow_duplicate(MPI_Comm parent, MPI_Comm duplicate, bool nonblocking) {
  const MovedCells* cells = moved_cells(parent);
  if (cells == nullptr) return MPI_SUCCESS;
  MPI_Comm in_cell_order = predefined().comm_null;
  MPI_Request made = predefined().request_null;
  const int code = nonblocking ? pmpi().Comm_idup(cells->in_cell_order(), &in_cell_order, &made)
                               : pmpi().Comm_dup(cells->in_cell_order(), &in_cell_order);
  if (code != MPI_SUCCESS) return code;
  return tie(duplicate, std::make_unique<MovedCells>(in_cell_order, made, cells->cell_of_rank_, cells->rank_of_cell_));
}

}  // namespace marshal
