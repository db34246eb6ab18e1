#include "host/cart_reordering.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "base/immortal.h"
#include "base/message.h"
#include "host/checked.h"
#include "host/map_sources.h"
#include "host/node_domains.h"
#include "host/node_map.h"
#include "host/own_rank.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

using mapping::Standing;

mapping::CartRequest request_for(const mapping::Grid& grid, const std::vector<std::int32_t>& nodes) {
  mapping::CartRequest request;
  request.grid = grid;
  request.stencil = stencil_in_force(grid.ndims());
  request.node_of_rank = nodes;
  request.rules.mapper = settings().mapper;
  request.ties = settings().cart_ties;
  request.rules.exchanges = settings().integer(Option::kCartEffort);
  request.rules.weights_are_known = settings().cart_weights_given;
  request.min_gain_percent = settings().real(Option::kCartMinGain);
  return request;
}

void least_of_all(std::vector<std::int64_t>& values, JointWork& all) {
  std::vector<std::int64_t> least(values.size());
  all.all_ready();
  checked("MPI_Allreduce", pmpi().Allreduce(values.data(), least.data(), static_cast<int>(values.size()),
                                            predefined().type_int64, predefined().op_min, all.communicator()));
  values = std::move(least);
}

// The least standings of all processes: one number after the other, those already behind no longer taking part.
void agree_on(std::span<Standing> standings, JointWork& all) {
  std::vector<Standing> mine(standings.begin(), standings.end());
  std::vector<std::int64_t> values(standings.size());
  for (const auto number : {&Standing::loss, &Standing::jsum, &Standing::jmax, &Standing::candidate}) {
    for (std::size_t i = 0; i < mine.size(); ++i) values[i] = mine[i].*number;
    least_of_all(values, all);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i].*number != values[i]) mine[i] = Standing{};
      standings[i].*number = values[i];
    }
  }
}

mapping::Team team_of(JointWork& all) {
  mapping::Team team;
  team.part = own_rank(all.communicator());
  team.parts = size_of(all.communicator());
  team.agree = [&all](std::span<Standing> standings) { agree_on(standings, all); };
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
  std::shared_ptr<const GridPlan> find(const RankMap& map, const mapping::Grid& grid) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.grid == grid && same_processes(entry.map, map)) return entry.plan;
    return nullptr;
  }
  void keep(const RankMap& map, const mapping::Grid& grid, std::shared_ptr<const GridPlan> plan) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() == most) entries_.erase(entries_.begin());
    entries_.push_back({map, grid, std::move(plan)});
  }

 private:
  static constexpr std::size_t most = 8;
  static bool same_processes(const RankMap& a, const RankMap& b) {
    if (a.size() != b.size()) return false;
    if (a.same_representation(b)) return true;
    for (std::int32_t rank = 0; rank < a.size(); ++rank)
      if (a.process(rank) != b.process(rank)) return false;
    return true;
  }
  struct Entry {
    RankMap map;
    mapping::Grid grid;
    std::shared_ptr<const GridPlan> plan;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

KnownPlans& known_plans() {
  static Immortal<KnownPlans> the;
  return *the;
}

std::shared_ptr<GridPlan> worked_out(const mapping::CartRequest& request) {
  auto plan = std::make_shared<GridPlan>();
  plan->mapping = mapping::plan_cart(request);
  plan->moves = plan->mapping.moved;
  return plan;
}

}  // namespace

std::vector<std::int32_t> nodes_of(const RankMap& map) {
  std::vector<std::int32_t> nodes;
  nodes.reserve(static_cast<std::size_t>(map.size()));
  for (std::int32_t rank = 0; rank < map.size(); ++rank) nodes.push_back(node_map().node_of(map.process(rank).lpid));
  return nodes;
}

bool may_know_nodes(const Communicator& books) { return books.own_job && !books.remote && node_map().nodes() > 0; }

std::optional<RankMap> placed_processes(MPI_Comm communicator, const Communicator& books) {
  if (!may_know_nodes(books)) return std::nullopt;
  return books.map.tracked() ? books.map : map_for_once(communicator);
}

mapping::Stencil stencil_in_force(int ndims) {
  const std::string_view weights_text = settings().text(Option::kCartWeights);
  try {
    const auto weights =
        weights_text == "equal" ? std::vector<std::int64_t>{} : mapping::parse_weights(weights_text, ndims);
    return mapping::parse_stencil(settings().text(Option::kCartStencil), ndims, weights);
  } catch (const std::invalid_argument& error) {
    // The setting applies to the grids whose number of dimensions it fits.
    if (process_groups().world_rank() == 0)
      say(Level::kInfo, "a grid of {} dimensions is mapped for the star stencil: {}", ndims, error.what());
    return mapping::star_stencil(ndims);
  }
}

std::shared_ptr<const GridPlan> plan_grid(JointWork& all, const Communicator& books, const mapping::Grid& grid) {
  const std::optional<RankMap> processes = placed_processes(all.communicator(), books);
  // If any process must still learn something, all find it out together.
  std::shared_ptr<const GridPlan> known = processes ? known_plans().find(*processes, grid) : nullptr;
  const JointWork::Numbers any = all.all_ready({known ? 0 : 1, is_bound() ? 1 : 0, processes ? 0 : 1});
  if (any[2] != 0) return nullptr;
  if (any[0] == 0) return known;

  const std::vector<std::int32_t> nodes = nodes_of(*processes);
  mapping::CartRequest request = request_for(grid, nodes);
  request.team = team_of(all);
  if (any[1] != 0) request.levels = learn_domains(all, *processes);
  const std::shared_ptr<GridPlan> plan = worked_out(request);
  if (!request.levels.empty()) {
    // Each process knows the domains of its own node only: one that moves makes all take part.
    plan->complete = false;
    plan->moves = all.all_ready({plan->moves ? 1 : 0})[0] != 0;
  }
  known_plans().keep(*processes, grid, plan);
  return plan;
}

std::shared_ptr<const GridPlan> plan_grid_alone(MPI_Comm communicator, const Communicator& books,
                                                const mapping::Grid& grid) {
  const std::optional<RankMap> processes = placed_processes(communicator, books);
  if (!processes) return nullptr;
  if (auto known = known_plans().find(*processes, grid)) return known;
  const std::vector<std::int32_t> nodes = nodes_of(*processes);
  return worked_out(request_for(grid, nodes));
}

}  // namespace marshal
