#include "reordering/cart_creation.h"

#include <string>
#include <vector>

#include "base/attempt.h"
#include "callsites/mixed_ranks.h"
#include "communicators/communicators_in_use.h"
#include "communicators/map_sources.h"
#include "host/checked.h"
#include "host/joint_work.h"
#include "host/own_rank.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "reordering/kept_ranks.h"
#include "reordering/moved_cells.h"
#include "reordering/moved_run_note.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

// More dimensions than can have two cells each: to plan a thousand of one cell would take seconds.
constexpr int most_dimensions = 31;

// True if a host accepts such a grid for `processes` processes.
bool is_acceptable_grid(std::int64_t processes, const GridCall& call) {
  bool good = call.ndims >= 1 && call.ndims <= most_dimensions && call.dims != nullptr && call.periods != nullptr;
  std::int64_t cells = 1;
  for (int d = 0; good && d < call.ndims; ++d) {
    cells *= call.dims[d];
    good = call.dims[d] >= 1 && cells <= processes;
  }
  return good;
}

mapping::Grid requested_grid(const GridCall& call) {
  const auto n = static_cast<std::size_t>(call.ndims);
  return mapping::make_grid({call.dims, n}, {call.periods, n});
}

int host_grid(MPI_Comm comm, const GridCall& call, MPI_Comm* newcomm) {
  return pmpi().Cart_create(comm, call.ndims, call.dims, call.periods, 0, newcomm);
}

// The grid over the processes in the plan's order.
int grid_in_order(MPI_Comm comm, const GridPlan& plan, const GridCall& call, MPI_Comm* newcomm) {
  MPI_Comm ordered = predefined().comm_null;
  const int key = plan.mapping.new_rank[static_cast<std::size_t>(own_rank(comm))];
  int code = pmpi().Comm_split(comm, 0, key, &ordered);
  if (code != MPI_SUCCESS) return code;
  code = host_grid(ordered, call, newcomm);
  pmpi().Comm_free(&ordered);
  return code;
}

// Which cell each process of the plan's communicator takes.
std::vector<int> cells_of_ranks(JointWork& all, const GridPlan& plan) {
  std::vector<int> cells(plan.mapping.new_rank.begin(), plan.mapping.new_rank.end());
  if (plan.complete) return cells;
  const int mine = cells[static_cast<std::size_t>(own_rank(all.communicator()))];
  all.all_ready();
  checked("MPI_Allgather", pmpi().Allgather(&mine, 1, predefined().type_int, cells.data(), 1, predefined().type_int,
                                            all.communicator()));
  return cells;
}

}  // namespace

// MARSHAL_CART decides whether grids are mapped, MARSHAL_CART_MOVE whether processes that move keep their ranks and get
// other coordinates. With `auto` they keep their ranks if the program relies on them: it did not allow reordering
// (MARSHAL_CART_FORCE), or is known to mix ranks (mixed_ranks.h).
CartCreation::Wish CartCreation::wish_of(const GridCall& call) {
  const Settings& now = settings();
  const bool may_reorder = call.reorder || now.cart_force;
  if (now.cart == CartUse::report) return may_reorder || !now[Option::cart].by_mode ? Wish::report : Wish::nothing;
  if (now.cart == CartUse::off || !may_reorder) return Wish::nothing;
  const bool ranks_stay = now.cart_move == CartMove::automatic ? !call.reorder || mixes_ranks(frames_above(call.caller))
                                                               : now.cart_move == CartMove::coordinates;
  return ranks_stay ? Wish::other_cells : Wish::other_ranks;
}

CartCreation::CartCreation(const GridCall& call) : call_(call), from_(books::seen_by_all(call.comm)) {
  is_acceptable_ = from_ != nullptr && is_acceptable_grid(from_->map.size(), call);
  if (!is_acceptable_) return;
  wish_ = wish_of(call);
  if ((wish_ == Wish::other_ranks || wish_ == Wish::other_cells) && keeps_by_default(Option::cart)) {
    keeps_ranks_ = true;
    wish_ = Wish::nothing;
  }
  if (wish_ == Wish::nothing || wish_ == Wish::other_cells || !may_know_nodes(*from_)) return;
  keeps_ranks_ = wish_ == Wish::other_ranks && must_keep_ranks(*from_, Option::cart);
  if (!JointWork::run(call.comm, [&](JointWork& all) {
        plan_ = plan_grid(all, *from_, requested_grid(call), frames_above(call.caller), keeps_ranks_);
      }))
    plan_ = nullptr;
}

bool CartCreation::moves() const {
  return wish_ == Wish::other_cells || (wish_ == Wish::other_ranks && plan_ != nullptr && plan_->moves);
}

int CartCreation::create(MPI_Comm* newcomm) const {
  return plan_ != nullptr ? grid_in_order(call_.comm, *plan_, call_, newcomm) : host_grid(call_.comm, call_, newcomm);
}

bool CartCreation::enter(Creation& creation, MPI_Comm newcomm) const {
  Moved moved = wish_ == Wish::other_ranks && moves() ? Moved::ranks : Moved::nothing;
  if (moved == Moved::ranks && notes_move(call_.comm, newcomm)) leave_moved_run_note();
  enter_made(creation, newcomm, moved == Moved::ranks);
  if (!is_acceptable_) return false;
  std::shared_ptr<const GridPlan> plan = plan_;
  if (wish_ == Wish::other_cells) moved = move_cells_of(newcomm, plan);
  const MPI_Comm planned_for = wish_ == Wish::other_cells ? newcomm : call_.comm;
  const Communicator* from = books::find(planned_for);
  if (from != nullptr)
    attempt([&] {
      note_grid(creation.frames(), newcomm, planned_for, *from, requested_grid(call_), plan, moved,
                why_unmoved(plan.get()));
    });
  return moved != Moved::nothing;
}

void CartCreation::enter_made(Creation& creation, MPI_Comm newcomm, bool reordered) const {
  const Communicator* const from = books::known(call_.comm);
  if (!settings().asks_host) {
    const bool is_prefix = is_acceptable_ && !call_.reorder && !reordered;
    return creation.made_of_first(is_prefix ? requested_grid(call_).cells() : 0, from, newcomm);
  }
  if (from != nullptr)
    books::enter_made(newcomm, [&] {
      creation.made(newcomm, map_of(newcomm, *from), std::nullopt, from->own_job, from->reordered || reordered,
                    from->grid);
    });
}

RankMap CartCreation::map_of(MPI_Comm newcomm, const Communicator& from) const {
  const bool as_planned = plan_ != nullptr && moves();
  if (as_planned && plan_->complete) return from.map.derive(plan_->mapping.old_rank);
  return map_of_topology(newcomm, call_.comm, from, as_planned || (call_.reorder && !moves()));
}

// The grid keeps the processes' ranks. They get other cells, all of them or none. The grid stays valid if that fails.
Moved CartCreation::move_cells_of(MPI_Comm newcomm, std::shared_ptr<const GridPlan>& plan) const {
  const Communicator* entry = books::known(newcomm);
  if (entry == nullptr || !may_know_nodes(*entry)) return Moved::nothing;
  MPI_Comm in_cell_order = predefined().comm_null;
  const bool done = JointWork::run(newcomm, [&](JointWork& all) {
    bool keeps_ranks = false;
    plan = plan_grid(all, *entry, requested_grid(call_), frames_above(call_.caller), keeps_ranks);
    if (plan == nullptr || !plan->moves) return;
    std::vector<int> cells = cells_of_ranks(all, *plan);
    all.all_ready();
    checked("MPI_Cart_create", grid_in_order(newcomm, *plan, call_, &in_cell_order));
    move_cells(newcomm, in_cell_order, std::move(cells));
  });
  if (done) return plan != nullptr && plan->moves ? Moved::coordinates : Moved::nothing;
  plan = nullptr;
  if (moved_cells(newcomm) != nullptr)
    put_cells_back(newcomm);
  else if (in_cell_order != predefined().comm_null)
    pmpi().Comm_free(&in_cell_order);
  return Moved::nothing;
}

// Empty if the plan has the reason.
std::string CartCreation::why_unmoved(const GridPlan* plan) const {
  if (plan != nullptr)
    return plan->moves && wish_ == Wish::report ? settings().cause(Option::cart) + ": what would have been" : "";
  if (keeps_ranks_) return why_ranks_are_kept(Option::cart);
  if (wish_ != Wish::nothing && !may_make_communicators()) return why_no_communicators_are_made;
  if (wish_ != Wish::nothing) return "the nodes of the processes are not known";
  return settings().cart == CartUse::off ? settings().cause(Option::cart) : "the program did not allow reordering";
}

std::optional<int> rank_in_grid(const GridCall& call) {
  const Communicator* from = books::seen_by_all(call.comm);
  const bool asked = from != nullptr && is_acceptable_grid(from->map.size(), call) &&
                     CartCreation::wish_of(call) == CartCreation::Wish::other_ranks &&
                     !must_keep_ranks(*from, Option::cart);
  if (!asked) return std::nullopt;
  const mapping::Grid grid = requested_grid(call);
  const std::shared_ptr<const GridPlan> plan = plan_grid_alone(call.comm, *from, grid);
  if (plan == nullptr || !plan->moves) return std::nullopt;
  const std::int32_t cell = plan->mapping.new_rank[static_cast<std::size_t>(own_rank(call.comm))];
  return cell < grid.cells() ? cell : MPI_UNDEFINED;
}

}  // namespace marshal
