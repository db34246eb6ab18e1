#include "reordering/cart_creation.h"

#include "base/attempt.h"
#include "callsites/call_frames.h"
#include "communicators/communicators_in_use.h"
#include "communicators/map_sources.h"
#include "host/joint_work.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "reordering/kept_ranks.h"
#include "reordering/run_key.h"
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

}  // namespace

// Where the program did not allow reordering, ranks move only if the user asks for it: what it does with them is not
// known.
CartCreation::Wish CartCreation::wish_of(const GridCall& call) {
  const Settings& now = settings();
  const bool may_reorder = call.reorder || now.cart_move == CartMove::always;
  if (now.cart == CartUse::report) return may_reorder || !now[Option::cart].by_mode ? Wish::report : Wish::nothing;
  return now.cart == CartUse::off || !may_reorder ? Wish::nothing : Wish::reorder;
}

// By the code that calls, which need not be the same everywhere: the processes agree before they move.
bool CartCreation::mixes(const GridCall& call) {
  return settings().cart_move == CartMove::automatic && mixes_ranks(frames_above(call.caller));
}

CartCreation::CartCreation(const GridCall& call) : call_(call), from_(books::seen_by_all(call.comm)) {
  is_acceptable_ = from_ != nullptr && is_acceptable_grid(from_->map.size(), call);
  if (!is_acceptable_) return;
  wish_ = wish_of(call);
  if (wish_ == Wish::reorder && keeps_by_default()) {
    keeps_ranks_ = true;
    wish_ = Wish::nothing;
  }
  if (wish_ == Wish::nothing || !may_know_nodes(*from_)) return;
  mixes_ = wish_ == Wish::reorder && mixes(call);  // AGREEMENT: whether a grid of a program that mixes ranks
  keeps_ranks_ = mixes_ || (wish_ == Wish::reorder && must_keep_ranks(*from_));
  if (!JointWork::run(call.comm, [&](JointWork& all) {
        plan_ = plan_grid(all, *from_, requested_grid(call), frames_above(call.caller), keeps_ranks_);
      }))
    plan_ = nullptr;
}

bool CartCreation::moves() const { return wish_ == Wish::reorder && plan_ != nullptr && plan_->moves; }

int CartCreation::create(MPI_Comm* newcomm) const { return grid_in_order(call_.comm, *plan_, call_, newcomm); }

bool CartCreation::enter(Creation& creation, MPI_Comm newcomm) const {
  if (moves() && notes_move(call_.comm, newcomm)) leave_moved_run_note();
  enter_made(creation, newcomm);
  if (!is_acceptable_) return false;
  if (const Communicator* from = books::find(call_.comm))
    attempt([&] {
      note_grid(creation.frames(), newcomm, call_.comm, *from, requested_grid(call_), plan_, moves(), why_unmoved());
    });
  return moves();
}

void CartCreation::enter_made(Creation& creation, MPI_Comm newcomm) const {
  const Communicator* const from = books::known(call_.comm);
  if (!settings().asks_host) {
    const bool is_prefix = is_acceptable_ && !call_.reorder && !moves();
    return creation.made_of_first(is_prefix ? requested_grid(call_).cells() : 0, from, newcomm);
  }
  if (from != nullptr)
    books::enter_made(newcomm, [&] {
      creation.made(newcomm, map_of(newcomm, *from), std::nullopt, from->own_job, from->reordered || moves(),
                    from->grid);
    });
}

RankMap CartCreation::map_of(MPI_Comm newcomm, const Communicator& from) const {
  if (moves() && plan_->complete) return from.map.derive(plan_->mapping.old_rank);
  return map_of_topology(newcomm, call_.comm, from, moves() || call_.reorder);
}

// Empty if the plan has the reason.
std::string CartCreation::why_unmoved() const {
  if (plan_ != nullptr)
    return plan_->moves && wish_ == Wish::report ? settings().cause(Option::cart) + ": what would have been" : "";
  if (mixes_)
    return "programs of this name use ranks of a grid in the communicator that it was made from; `marshal launch` "
           "places their processes before the start";
  if (keeps_ranks_) return why_ranks_are_kept();
  if (wish_ != Wish::nothing && !may_make_communicators()) return why_no_communicators_are_made;
  if (wish_ != Wish::nothing) return "the nodes of the processes are not known";
  return settings().cart == CartUse::off ? settings().cause(Option::cart) : "the program did not allow reordering";
}

std::optional<int> rank_in_grid(const GridCall& call) {
  const Communicator* from = books::seen_by_all(call.comm);
  const bool asked = from != nullptr && is_acceptable_grid(from->map.size(), call) &&
                     CartCreation::wish_of(call) == CartCreation::Wish::reorder && !CartCreation::mixes(call) &&
                     !must_keep_ranks(*from);
  if (!asked) return std::nullopt;
  const mapping::Grid grid = requested_grid(call);
  const std::shared_ptr<const GridPlan> plan = plan_grid_alone(call.comm, *from, grid);
  if (plan == nullptr || !plan->moves) return std::nullopt;
  const std::int32_t cell = plan->mapping.new_rank[static_cast<std::size_t>(own_rank(call.comm))];
  return cell < grid.cells() ? cell : MPI_UNDEFINED;
}

}  // namespace marshal
