#include "host/cart_creation.h"

#include <string>
#include <vector>

#include "host/map_sources.h"
#include "host/mixed_ranks.h"
#include "host/moved_cells.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/settings.h"

namespace marshal {
namespace {

// What the books hold of a communicator whose making Marshal saw on all its processes. Touches neither the host nor its
// error handlers.
const Communicator* seen_by_all(MPI_Comm communicator) {
  const Communicator* books = books::find(communicator);
  const bool seen = books != nullptr && (books->site != nullptr || communicator == predefined().comm_world);
  return seen ? books : nullptr;
}

// The grid, if it is one that a host accepts for so many processes.
std::optional<mapping::Grid> acceptable_grid(std::int64_t processes, const GridCall& call) {
  bool good = call.ndims >= 1 && call.dims != nullptr && call.periods != nullptr;
  std::int64_t cells = 1;
  for (int d = 0; good && d < call.ndims; ++d) {
    cells *= call.dims[d];
    good = call.dims[d] >= 1 && cells <= processes;
  }
  if (!good) return std::nullopt;
  const auto n = static_cast<std::size_t>(call.ndims);
  return mapping::make_grid({call.dims, n}, {call.periods, n});
}

int own_rank(MPI_Comm communicator) {
  int rank = 0;
  pmpi().Comm_rank(communicator, &rank);
  return rank;
}

int host_grid(MPI_Comm comm, const mapping::Grid& grid, MPI_Comm* newcomm) {
  const std::vector<int> periods(grid.periodic.begin(), grid.periodic.end());
  return pmpi().Cart_create(comm, grid.ndims(), grid.dims.data(), periods.data(), 0, newcomm);
}

// The grid over the processes in the plan's order.
int grid_in_order(MPI_Comm comm, const GridPlan& plan, const mapping::Grid& grid, MPI_Comm* newcomm) {
  MPI_Comm ordered = predefined().comm_null;
  const int key = plan.mapping.new_rank[static_cast<std::size_t>(own_rank(comm))];
  int code = pmpi().Comm_split(comm, 0, key, &ordered);
  if (code != MPI_SUCCESS) return code;
  code = host_grid(ordered, grid, newcomm);
  pmpi().Comm_free(&ordered);
  return code;
}

// Which cell each process of the plan's communicator takes.
std::vector<int> cells_of_ranks(MPI_Comm grid, const GridPlan& plan) {
  std::vector<int> cells(plan.mapping.new_rank.begin(), plan.mapping.new_rank.end());
  if (plan.complete) return cells;
  const int mine = cells[static_cast<std::size_t>(own_rank(grid))];
  pmpi().Allgather(&mine, 1, predefined().type_int, cells.data(), 1, predefined().type_int, grid);
  return cells;
}

}  // namespace

// MARSHAL_CART says whether grids are mapped, MARSHAL_CART_MOVE whether processes that move keep their ranks and get
// other coordinates. `auto` does so where the program relies on its ranks: it did not allow reordering
// (MARSHAL_CART_FORCE), or is known to (mixed_ranks.h).
CartCreation::Wish CartCreation::wish_of(const GridCall& call) {
  const Options& options = settings();
  if (options.is(Option::kCart, "report")) return Wish::report;
  if (options.is(Option::kCart, "off") || !(call.reorder || options.on(Option::kCartForce))) return Wish::nothing;
  const bool ranks_stay = options.is(Option::kCartMove, "auto") ? !call.reorder || mixes_ranks(call.caller)
                                                                : options.is(Option::kCartMove, "coordinates");
  return ranks_stay ? Wish::other_cells : Wish::other_ranks;
}

CartCreation::CartCreation(const GridCall& call) : call_(call), from_(seen_by_all(call.comm)) {
  if (from_ != nullptr) grid_ = acceptable_grid(from_->map.size(), call);
  if (grid_) wish_ = wish_of(call);
  if (wish_ == Wish::report || wish_ == Wish::other_ranks) plan_ = plan_grid(call.comm, *from_, *grid_);
}

bool CartCreation::moves() const {
  return wish_ == Wish::other_cells || (wish_ == Wish::other_ranks && plan_ != nullptr && plan_->moves);
}

int CartCreation::create(MPI_Comm* newcomm) const {
  return plan_ != nullptr ? grid_in_order(call_.comm, *plan_, *grid_, newcomm) : host_grid(call_.comm, *grid_, newcomm);
}

bool CartCreation::enter(Creation& creation, MPI_Comm newcomm) const {
  const Communicator* from = books::known(call_.comm);
  if (from != nullptr) creation.made(newcomm, map_of(newcomm, *from), std::nullopt, from->own_job);
  if (!grid_) return false;
  std::shared_ptr<const GridPlan> plan = plan_;
  Moved moved = moves() ? Moved::ranks : Moved::nothing;
  if (wish_ == Wish::other_cells) {
    from = books::find(newcomm);
    moved = move_cells_of(newcomm, plan);
  }
  if (from != nullptr && own_rank(newcomm) == 0)
    note_grid(creation.frames(), wish_ == Wish::other_cells ? newcomm : call_.comm, *from, *grid_, plan, moved,
              why_unmoved(plan.get()));
  return moved != Moved::nothing;
}

RankMap CartCreation::map_of(MPI_Comm newcomm, const Communicator& from) const {
  const bool as_planned = plan_ != nullptr && moves();
  if (as_planned && plan_->complete) return from.map.derive(plan_->mapping.old_rank);
  return map_of_topology(newcomm, call_.comm, from, as_planned || (call_.reorder && !moves()));
}

// The grid has the ranks that the processes had: then other cells for its processes. It stands whatever becomes of
// them.
Moved CartCreation::move_cells_of(MPI_Comm newcomm, std::shared_ptr<const GridPlan>& plan) const {
  const Communicator* books = books::find(newcomm);
  plan = books != nullptr ? plan_grid(newcomm, *books, *grid_) : nullptr;
  MPI_Comm in_cell_order = predefined().comm_null;
  const bool done = plan != nullptr && plan->moves &&
                    grid_in_order(newcomm, *plan, *grid_, &in_cell_order) == MPI_SUCCESS &&
                    move_cells(newcomm, in_cell_order, cells_of_ranks(newcomm, *plan)) == MPI_SUCCESS;
  return done ? Moved::coordinates : Moved::nothing;
}

// Empty where the plan says it.
std::string CartCreation::why_unmoved(const GridPlan* plan) const {
  if (plan != nullptr) return plan->moves && wish_ == Wish::report ? "MARSHAL_CART=report: what would have been" : "";
  if (wish_ != Wish::nothing) return "the nodes of the processes are not known";
  return settings().is(Option::kCart, "off") ? "MARSHAL_CART=off" : "the program did not allow reordering";
}

std::optional<int> rank_in_grid(const GridCall& call) {
  const Communicator* from = seen_by_all(call.comm);
  const auto grid = from != nullptr ? acceptable_grid(from->map.size(), call) : std::nullopt;
  const bool asked = grid && CartCreation::wish_of(call) == CartCreation::Wish::other_ranks;
  const std::shared_ptr<const GridPlan> plan = asked ? plan_grid_alone(call.comm, *from, *grid) : nullptr;
  if (plan == nullptr || !plan->moves) return std::nullopt;
  const std::int32_t cell = plan->mapping.new_rank[static_cast<std::size_t>(own_rank(call.comm))];
  return cell < grid->cells() ? cell : MPI_UNDEFINED;
}

}  // namespace marshal
