#include "reordering/moved_cells.h"

#include <atomic>
#include <new>
#include <thread>
#include <utility>

#include "base/spare_objects.h"
#include "communicators/communicators.h"
#include "communicators/creation_site.h"
#include "host/checked.h"
#include "host/handles.h"
#include "host/implementation.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "reordering/apart_communicator.h"

namespace marshal {
namespace {

// Set for good when the first grid's cells are moved: programs without such grids never look further.
std::atomic<bool> any_moved{false};

int not_copied(MPI_Comm, int, void*, void*, void*, int* copied) {
  *copied = 0;  // a duplicate gets a hidden grid of its own, which takes a collective call: follow_duplicate()
  return MPI_SUCCESS;
}

constinit SpareObjects<MovedCells> spare_cells;

// All whose hidden grids are still being made. A thread that holds one's mutex_ may lock this, and not the other way.
struct UnderWay {
  std::mutex mutex;
  const MovedCells* first = nullptr;
};
constinit UnderWay under_way;

}  // namespace

struct LettingGo {
  void operator()(const MovedCells* cells) const { cells->let_go(); }
};

namespace {

using HeldCells = std::unique_ptr<MovedCells, LettingGo>;

int freed_with_it(MPI_Comm, int, void* value, void*) {
  LettingGo()(static_cast<const MovedCells*>(value));
  return MPI_SUCCESS;
}

int made_keyval(MPI_Comm_delete_attr_function* at_end) {
  int made = -1;
  pmpi().Comm_create_keyval(not_copied, at_end, &made, nullptr);
  return made;
}

int keyval() {
  static const int the = made_keyval(freed_with_it);
  return the;
}

// On the hidden grid: the handle of the program's.
int keyval_of_grid() {
  static const int the = made_keyval([](MPI_Comm, int, void*, void*) -> int { return MPI_SUCCESS; });
  return the;
}

template <class... Parameters>
int call_host_by_name(const char* symbol, Parameters... parameters) {
  auto* const function = reinterpret_cast<int (*)(Parameters...)>(find_host_symbol(symbol));
  return function == nullptr ? MPI_ERR_OTHER : function(parameters...);
}

using ErrorHandler = void(MPI_Comm*, int*, ...);

void pass_error_on(MPI_Comm* hidden, int* code, ...) {
  void* value = nullptr;
  int found = 0;
  if (pmpi().Comm_get_attr(*hidden, keyval_of_grid(), &value, &found) != MPI_SUCCESS || !found) return;
  deliver_error(handle_of<MPI_Comm>(reinterpret_cast<std::uintptr_t>(value)), *code);
}

// Errors on the hidden grid become errors on the program's grid, also errors that the completion of a request finds.
// Local.
int pass_errors_on(MPI_Comm hidden, MPI_Comm grid) {
  static const MPI_Errhandler handler = [] {
    MPI_Errhandler made = predefined().errors_return;
    call_host_by_name<ErrorHandler*, MPI_Errhandler*>("PMPI_Comm_create_errhandler", pass_error_on, &made);
    return made;
  }();
  const int code = pmpi().Comm_set_attr(hidden, keyval_of_grid(), reinterpret_cast<void*>(key_of(grid)));
  return code == MPI_SUCCESS ? pmpi().Comm_set_errhandler(hidden, handler) : code;
}

int tie(MPI_Comm grid, HeldCells cells) {
  const int code = pmpi().Comm_set_attr(grid, keyval(), cells.get());
  if (code == MPI_SUCCESS) {
    static_cast<void>(cells.release());  // the host's now: freed_with_it()
    any_moved.store(true, std::memory_order_release);
  }
  return code;
}

// The grid as the host knows it.
mapping::Grid grid_of_host(MPI_Comm communicator) {
  int ndims = 0;
  checked("MPI_Cartdim_get", pmpi().Cartdim_get(communicator, &ndims));
  std::vector<int> dims(static_cast<std::size_t>(ndims)), periods(dims.size()), coordinates(dims.size());
  checked("MPI_Cart_get", pmpi().Cart_get(communicator, ndims, dims.data(), periods.data(), coordinates.data()));
  return mapping::make_grid(dims, periods);
}

}  // namespace

void* MovedCells::operator new(std::size_t size) {
  if (void* const room = ::operator new(size, std::nothrow)) return room;
  if (void* const room = spare_cells.take()) return room;
  throw std::bad_alloc();
}

void MovedCells::operator delete(void* cells) {
  if (!spare_cells.give_back(cells)) ::operator delete(cells);
}

MovedCells::MovedCells(MPI_Comm grid, std::shared_ptr<const Order> order)
    : grid_(grid), order_(std::move(order)), made_(predefined().request_null), in_cell_order_(predefined().comm_null) {
  communicators_alive += 1;
}

MovedCells::~MovedCells() {
  in_cell_order();  // complete, so that it can be freed
  if (in_cell_order_ != predefined().comm_null) pmpi().Comm_free(&in_cell_order_);
  communicators_alive -= 1;
}

// False if the last holder has just let go: then another thread ends it.
bool MovedCells::hold() const {
  int holders = holders_.load(std::memory_order_relaxed);
  while (holders != 0 && !holders_.compare_exchange_weak(holders, holders + 1, std::memory_order_relaxed)) {
  }
  return holders != 0;
}

void MovedCells::let_go() const {
  if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

int MovedCells::duplicate(const MovedCells& source, bool nonblocking) {
  const MPI_Comm from = source.in_cell_order_alone();
  if (!nonblocking) {
    const int code = pmpi().Comm_dup(from, &in_cell_order_);
    return code == MPI_SUCCESS ? pass_errors_on(in_cell_order_, grid_) : code;
  }
  const std::lock_guard lock(mutex_);
  const int code = pmpi().Comm_idup(from, &in_cell_order_, &made_);
  if (code != MPI_SUCCESS) return code;
  source.holders_.fetch_add(1, std::memory_order_relaxed);
  source_ = &source;
  const std::lock_guard list_lock(under_way.mutex);
  next_under_way_ = std::exchange(under_way.first, this);
  return code;
}

MPI_Comm MovedCells::in_cell_order() const {
  const std::lock_guard lock(mutex_);
  if (source_ == nullptr) return in_cell_order_;
  pmpi().Wait(&made_, MPI_STATUS_IGNORE);
  pass_errors_on(in_cell_order_, grid_);
  {
    const std::lock_guard list_lock(under_way.mutex);
    const MovedCells** place = &under_way.first;
    while (*place != this) place = &(*place)->next_under_way_;
    *place = next_under_way_;
  }
  std::exchange(source_, nullptr)->let_go();
  return in_cell_order_;
}

template <class Wanted>
bool MovedCells::completes_one(Wanted wanted) {
  std::unique_ptr<const MovedCells, LettingGo> held;
  {
    const std::lock_guard list_lock(under_way.mutex);
    const MovedCells* cells = under_way.first;
    while (cells != nullptr && !wanted(*cells)) cells = cells->next_under_way_;
    if (cells == nullptr) return false;
    if (cells->hold()) held.reset(cells);
  }
  if (held != nullptr)
    held->in_cell_order();
  else
    std::this_thread::yield();  // another thread completes it, to free it
  return true;
}

MPI_Comm MovedCells::in_cell_order_alone() const {
  while (is_open_mpi() && completes_one([this](const MovedCells& cells) { return cells.source_ == this; })) {
  }
  return in_cell_order();
}

int MovedCells::rank_beside(int rank, int dimension, std::int64_t cells) const {
  const mapping::Grid& grid = order_->grid;
  std::int64_t stride = 1;
  for (int d = grid.ndims() - 1; d > dimension; --d) stride *= grid.length(d);
  const std::int64_t cell = cell_of(rank), length = grid.length(dimension), from = cell / stride % length;
  std::int64_t to = from + cells;
  if (grid.wraps(dimension))
    to = (to % length + length) % length;
  else if (to < 0 || to >= length)
    return MPI_PROC_NULL;
  return rank_of(static_cast<int>(cell + (to - from) * stride));
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
  HeldCells cells(new MovedCells(grid, std::make_shared<const MovedCells::Order>(MovedCells::Order{
                                           grid_of_host(grid), std::move(cell_of_rank), std::move(rank_of_cell)})));
  MovedCells& entered = *cells;
  checked("MPI_Comm_set_errhandler", pass_errors_on(in_cell_order, grid));
  checked("MPI_Comm_set_attr", tie(grid, std::move(cells)));
  entered.in_cell_order_ = in_cell_order;
}

void put_cells_back(MPI_Comm grid) {
  if (moved_cells(grid) != nullptr) pmpi().Comm_delete_attr(grid, keyval());
}

int follow_duplicate(MPI_Comm parent, MPI_Comm duplicate, bool nonblocking) {
  const MovedCells* cells = moved_cells(parent);
  if (cells == nullptr) return MPI_SUCCESS;
  HeldCells copy(new MovedCells(duplicate, cells->order_));
  const int code = copy->duplicate(*cells, nonblocking);
  return code == MPI_SUCCESS ? tie(duplicate, std::move(copy)) : code;
}

void complete_moved_cells() {
  while (MovedCells::completes_one([](const MovedCells&) { return true; })) {
  }
}

}  // namespace marshal
