#include "reordering/cart_reordering.h"

#include <fmt/format.h>

#include <mutex>
#include <vector>

#include "base/immortal.h"
#include "base/message.h"
#include "communicators/communicators_in_use.h"
#include "communicators/map_sources.h"
#include "host/node_levels.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "reordering/learned_grids.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

// The traffic that a grid is planned for, and the conditions on its order.
struct Wanted {
  GridStencil stencil;
  std::vector<mapping::Stencil> no_worse_by;  // other ones that its traffic may have
  std::string when_held_back;                 // why an order that is worse by one of them does not win
  std::string keep_order;                     // why the order given stays; empty: it need not
};

// `learned`: the number of what earlier runs measured; -1: nothing.
Wanted wanted_for(const mapping::Grid& grid, int learned) {
  if (learned < 0) {
    Wanted wanted{stencil_in_force(grid.ndims()), {}, {}, {}};
    if (wanted.stencil.is_known) return wanted;
    wanted.no_worse_by = mapping::one_by_one(wanted.stencil.stencil);
    wanted.when_held_back =
        "it is not known yet what goes along each dimension, and every order that is better for equal faces could be "
        "worse for others";
    return wanted;
  }
  LearnedStencil known = learned_stencil(learned);
  Wanted wanted{{std::move(known.stencil), std::move(known.text), "learned", known.run, true},
                std::move(known.earlier),
                "what the grid's processes send changes from run to run, and every order that is better for the last "
                "run's traffic is worse for that of an earlier one",
                {}};
  if (known.keep_order)
    wanted.keep_order = "an order made for what this grid sends sent more between nodes than the order given";
  return wanted;
}

mapping::CartRequest cart_request_for(const mapping::Grid& grid, const std::vector<std::int32_t>& nodes,
                                      const Wanted& wanted) {
  mapping::CartRequest request;
  request.grid = grid;
  request.stencil = wanted.stencil.stencil;
  request.node_of_rank = nodes;
  request.rules.mapper = wanted.keep_order.empty() ? settings().mapper : mapping::Mapper::given;
  request.rules.no_worse_by = wanted.no_worse_by;
  request.above = levels_above(nodes);
  return request;
}

void least_of_all(std::vector<std::int64_t>& values, JointWork& all) {
  std::vector<std::int64_t> least(values.size());
  all.all_ready();
  checked("MPI_Allreduce", pmpi().Allreduce(values.data(), least.data(), static_cast<int>(values.size()),
                                            predefined().type_int64, predefined().op_min, all.communicator()));
  values = std::move(least);
}

// Finds the least standings of all processes, one number after the other. A standing that is behind no longer takes
// part.
void agree_on(std::span<mapping::Standing> standings, JointWork& all) {
  std::vector<mapping::Standing> mine(standings.begin(), standings.end());
  std::vector<std::int64_t> values(standings.size());
  for (const auto number :
       {&mapping::Standing::loss, &mapping::Standing::jsum, &mapping::Standing::jmax, &mapping::Standing::candidate}) {
    for (std::size_t i = 0; i < mine.size(); ++i) values[i] = mine[i].*number;
    least_of_all(values, all);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i].*number != values[i]) mine[i] = mapping::Standing{};
      standings[i].*number = values[i];
    }
  }
}

mapping::Team team_of(JointWork& all) {
  mapping::Team team;
  team.part = own_rank(all.communicator());
  team.parts = size_of(all.communicator());
  team.agree = [&all](std::span<mapping::Standing> standings) { agree_on(standings, all); };
  team.tell = [&all](std::span<std::int32_t> numbers, int from) {
    all.all_ready();
    checked("MPI_Bcast", pmpi().Bcast(numbers.data(), static_cast<int>(numbers.size()), predefined().type_int, from,
                                      all.communicator()));
  };
  return team;
}

// The latest plans: programs make the same grid again and again. A plan counts as known if all processes of the
// communicator know it.
class KnownPlans {
 public:
  std::shared_ptr<const GridPlan> find(const RankMap& map, const mapping::Grid& grid, int learned) {
    const std::lock_guard lock(mutex_);
    for (const KnownPlan& known : plans_)
      if (known.grid == grid && known.learned == learned && same_processes(known.map, map)) return known.plan;
    return nullptr;
  }
  void keep(const RankMap& map, const mapping::Grid& grid, int learned, std::shared_ptr<const GridPlan> plan) {
    const std::lock_guard lock(mutex_);
    if (plans_.size() == most) plans_.erase(plans_.begin());
    plans_.push_back({map, grid, learned, std::move(plan)});
  }

 private:
  static constexpr std::size_t most = 8;
  struct KnownPlan {
    RankMap map;
    mapping::Grid grid;
    int learned;
    std::shared_ptr<const GridPlan> plan;
  };
  std::mutex mutex_;
  std::vector<KnownPlan> plans_;
};

KnownPlans& known_plans() {
  static Immortal<KnownPlans> the;
  return *the;
}

std::shared_ptr<GridPlan> worked_out(const mapping::CartRequest& request, const Wanted& wanted) {
  auto plan = std::make_shared<GridPlan>();
  plan->stencil = wanted.stencil;
  plan->mapping = mapping::plan_cart(request);
  plan->moves = plan->mapping.moved;
  if (!wanted.keep_order.empty()) plan->mapping.reason = wanted.keep_order;
  if (plan->mapping.held_back) plan->mapping.reason = wanted.when_held_back;
  return plan;
}

// The number of what earlier runs measured for this grid, if all processes find the same; else -1.
int agreed_on(JointWork& all, const CallFrames& frames, const mapping::Grid& grid) {
  if (!settings().cart_learns || !has_learned_grids()) return -1;
  const int found = find_learned_grid(frames, grid);
  const JointWork::Numbers most = all.all_ready({found, -found, 0});
  return most[0] == -most[1] ? found : -1;
}

}  // namespace

std::vector<std::int32_t> nodes_of(const RankMap& map) {
  std::vector<std::int32_t> nodes;
  nodes.reserve(static_cast<std::size_t>(map.size()));
  for (std::int32_t rank = 0; rank < map.size(); ++rank) nodes.push_back(node_map().node_of(map.process(rank).lpid));
  return nodes;
}

bool may_know_nodes(const Communicator& entry) { return entry.own_job && !entry.remote && node_map().nodes() > 0; }

std::optional<RankMap> placed_processes(MPI_Comm communicator, const Communicator& entry) {
  if (!may_know_nodes(entry)) return std::nullopt;
  if (entry.map.tracked()) return entry.map;
  return settings().asks_host ? map_for_once(communicator) : std::nullopt;
}

GridStencil stencil_in_force(int ndims) {
  const std::string_view stencil = settings().text(Option::cart_stencil),
                         weights = settings().text(Option::cart_weights);
  const bool is_list = stencil.find_first_of("0123456789") == 0 || stencil.find_first_of("+-") == 0;
  try {
    const bool by_dimension = weights != "auto" && weights != "equal";
    GridStencil found{
        mapping::parse_stencil(stencil == "auto" ? "star" : stencil, ndims,
                               by_dimension ? mapping::parse_weights(weights, ndims) : std::vector<std::int64_t>{}),
        std::string(stencil == "auto" ? "star" : stencil),
        std::string(weights),
        {},
        true};
    if (weights != "auto") return found;
    found.is_known = is_list;  // offsets are written with their weights
    found.weights = is_list ? "given" : "unknown";
    return found;
  } catch (const std::invalid_argument& error) {
    // The setting applies to the grids whose number of dimensions it fits.
    if (process_groups().world_rank() == 0)
      say(Level::info, "a grid of {} dimensions is mapped for the star stencil: {}", ndims, error.what());
    return {mapping::star_stencil(ndims), "star", "unknown", {}, false};
  }
}

std::shared_ptr<const GridPlan> plan_grid(JointWork& all, const Communicator& entry, const mapping::Grid& grid,
                                          const CallFrames& frames, bool& keeps_ranks) {
  const std::optional<RankMap> processes = placed_processes(all.communicator(), entry);
  const int learned = agreed_on(all, frames, grid);
  // If any process must still learn something, all find it out together.
  std::shared_ptr<const GridPlan> known = processes ? known_plans().find(*processes, grid, learned) : nullptr;
  const JointWork::Numbers any = all.all_ready(
      {known ? 0 : 1, is_bound() ? 1 : 0, processes && may_make_communicators() ? 0 : 1, keeps_ranks ? 1 : 0});
  keeps_ranks = any[3] != 0;                       // AGREEMENT: whether a grid or graph keeps its ranks
  if (any[2] != 0 || keeps_ranks) return nullptr;  // AGREEMENT: whether Marshal makes communicators
  if (any[0] == 0) return known;                   // AGREEMENT: the order of a grid

  const std::vector<std::int32_t> nodes = nodes_of(*processes);
  const Wanted wanted = wanted_for(grid, learned);
  mapping::CartRequest request = cart_request_for(grid, nodes, wanted);
  request.team = team_of(all);
  if (any[1] != 0) request.levels = learn_domains(all, *processes);
  const std::shared_ptr<GridPlan> plan = worked_out(request, wanted);
  if (!request.levels.empty()) {
    // Each process knows the domains of its own node only: one that moves makes all take part.
    plan->complete = false;
    plan->moves = all.all_ready({plan->moves ? 1 : 0})[0] != 0;
  }
  known_plans().keep(*processes, grid, learned, plan);
  return plan;
}

std::shared_ptr<const GridPlan> plan_grid_alone(MPI_Comm communicator, const Communicator& entry,
                                                const mapping::Grid& grid) {
  const std::optional<RankMap> processes = placed_processes(communicator, entry);
  if (!processes) return nullptr;
  // The same as MPI_Cart_create, whose call site is not known here.
  const int learned = settings().cart_learns ? find_learned_grid(grid) : -1;
  if (auto known = known_plans().find(*processes, grid, learned)) return known;
  const std::vector<std::int32_t> nodes = nodes_of(*processes);
  const Wanted wanted = wanted_for(grid, learned);
  return worked_out(cart_request_for(grid, nodes, wanted), wanted);
}

}  // namespace marshal
