#include "host/cart_reordering.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <vector>

#include "base/message.h"
#include "host/map_sources.h"
#include "host/mixed_ranks.h"
#include "host/node_domains.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "host/settings.h"

namespace marshal {
namespace {

using mapping::Standing;

mapping::Mapper mapper_in_force() {
  const std::string_view word = settings().word(Option::kCart);
  return word == "report" ? mapping::Mapper::best : mapping::parse_mapper(word);
}

// The node of every process of the communicator; empty where Marshal does not know.
std::vector<std::int32_t> nodes_of(const RankMap& map) {
  std::vector<std::int32_t> nodes;
  nodes.reserve(static_cast<std::size_t>(map.size()));
  for (std::int32_t rank = 0; rank < map.size(); ++rank) nodes.push_back(node_map().node_of(map.process(rank).lpid));
  return nodes;
}

// The processes of a communicator, where Marshal knows the nodes of all of them.
std::optional<RankMap> placed_processes(MPI_Comm communicator, const Communicator& books) {
  if (!books.own_job || books.remote || node_map().nodes() == 0) return std::nullopt;
  return books.map.tracked() ? books.map : map_for_once(communicator);
}

mapping::Stencil stencil_in_force(int ndims) {
  const std::string_view weights_text = settings().text(Option::kCartWeights);
  try {
    const auto weights =
        weights_text == "equal" ? std::vector<std::int64_t>{} : mapping::parse_weights(weights_text, ndims);
    return mapping::parse_stencil(settings().text(Option::kCartStencil), ndims, weights);
  } catch (const std::invalid_argument& error) {
    // One setting for grids of several numbers of dimensions: it is for those that it fits.
    if (process_groups().world_rank() == 0)
      say(Level::kInfo, "a grid of {} dimensions is mapped for the star stencil: {}", ndims, error.what());
    return mapping::star_stencil(ndims);
  }
}

mapping::CartRequest request_for(const mapping::Grid& grid, const std::vector<std::int32_t>& nodes) {
  mapping::CartRequest request;
  request.grid = grid;
  request.stencil = stencil_in_force(grid.ndims());
  request.node_of_rank = nodes;
  request.rules.mapper = mapper_in_force();
  request.ties = settings().is(Option::kCartTies, "last") ? mapping::Ties::last : mapping::Ties::first;
  request.rules.exchanges = settings().integer(Option::kCartEffort);
  request.rules.weights_are_known = settings().source(Option::kCartWeights) != Source::kDefault;
  request.min_gain_percent = settings().real(Option::kCartMinGain);
  return request;
}

void least_of_all(std::vector<std::int64_t>& values, MPI_Comm communicator) {
  std::vector<std::int64_t> least(values.size());
  pmpi().Allreduce(values.data(), least.data(), static_cast<int>(values.size()), predefined().type_int64,
                   predefined().op_min, communicator);
  values = std::move(least);
}

// The least standings of all processes: one number after the other, those already behind no longer taking part.
void agree_on(std::span<Standing> standings, MPI_Comm communicator) {
  std::vector<Standing> mine(standings.begin(), standings.end());
  std::vector<std::int64_t> values(standings.size());
  for (const auto number : {&Standing::loss, &Standing::jsum, &Standing::jmax, &Standing::candidate}) {
    for (std::size_t i = 0; i < mine.size(); ++i) values[i] = mine[i].*number;
    least_of_all(values, communicator);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i].*number != values[i]) mine[i] = Standing{};
      standings[i].*number = values[i];
    }
  }
}

mapping::Team team_of(MPI_Comm communicator) {
  mapping::Team team;
  pmpi().Comm_rank(communicator, &team.part);
  pmpi().Comm_size(communicator, &team.parts);
  team.agree = [communicator](std::span<Standing> standings) { agree_on(standings, communicator); };
  team.tell = [communicator](std::span<std::int32_t> numbers, int from) {
    pmpi().Bcast(numbers.data(), static_cast<int>(numbers.size()), predefined().type_int, from, communicator);
  };
  return team;
}

// The latest plans: programs make the same grid again and again. Only whole communicators agree that a plan is known.
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
  static KnownPlans& the = *new KnownPlans;
  return the;
}

std::shared_ptr<GridPlan> worked_out(const mapping::CartRequest& request) {
  auto plan = std::make_shared<GridPlan>();
  plan->mapping = mapping::plan_cart(request);
  plan->moves = plan->mapping.moved;
  return plan;
}

// The grids that one place of the program made alike. What the report shows of them is worked out at the first.
struct NotedGrid {
  CallFrames frames;
  mapping::Grid grid;
  RankMap map;                           // of the processes it was made of
  std::shared_ptr<const GridPlan> plan;  // null: nothing was looked for
  Moved moved;
  report::GridKey key{};
  report::Grid row{};

  bool is_again(const NotedGrid& other) const {
    return plan == other.plan && moved == other.moved && grid == other.grid && frames == other.frames &&
           map.same_representation(other.map);
  }
};

struct NotedGrids {
  std::mutex mutex;
  std::vector<NotedGrid> all;
  bool ranks_moved = false;
};
NotedGrids& noted_grids() {
  static NotedGrids& the = *new NotedGrids;
  return the;
}

report::Spread spread_of(const mapping::PartnerCount& partners, std::int64_t cells) {
  report::Spread spread;
  spread.samples = static_cast<std::uint64_t>(cells);
  spread.sum = static_cast<std::uint64_t>(partners.sum);
  spread.min = static_cast<std::uint64_t>(partners.min);
  spread.max = static_cast<std::uint64_t>(partners.max);
  return spread;
}

report::GridMetrics metrics_of(const mapping::Metrics& metrics, const mapping::Prediction& predicted,
                               const std::vector<std::int32_t>& node_of_cell) {
  report::GridMetrics row;
  row.jsum = static_cast<double>(metrics.jsum);
  row.jmax = static_cast<double>(metrics.jmax);
  row.on_node = spread_of(metrics.on_node, metrics.cells);
  row.off_node = spread_of(metrics.off_node, metrics.cells);
  row.predicted_exchange_s = predicted.seconds;
  row.limited_by = name_of(predicted.limit);
  row.node_runs = report::node_runs({node_of_cell.begin(), node_of_cell.end()});
  return row;
}

report::GridKey key_of(const NotedGrid& made) {
  report::GridKey key;
  key.site = site_of("MPI_Cart_create", made.frames);
  for (int d = 0; d < made.grid.ndims(); ++d) {
    key.dims.push_back(static_cast<std::uint64_t>(made.grid.length(d)));
    key.periodic.push_back(made.grid.wraps(d) ? 1 : 0);
  }
  key.moved = made.moved != Moved::nothing;
  if (made.plan == nullptr)
    key.mapper = "off";
  else if (made.plan->mapping.winner == mapping::Mapper::given)
    key.mapper = settings().word(Option::kCart);
  else
    key.mapper = name_of(made.plan->mapping.winner);
  return key;
}

// What the order given would cost, where nothing else was looked for.
void measure_given(const NotedGrid& made, report::Grid& row) {
  const std::vector<std::int32_t> nodes = nodes_of(made.map);
  const mapping::Problem problem = mapping::make_problem(made.grid, stencil_in_force(made.grid.ndims()), nodes);
  const mapping::Metrics metrics = measure(made.grid, problem.stencil, problem.given, problem.nodes());
  row.nodes = static_cast<std::uint64_t>(problem.nodes());
  row.before = row.after = metrics_of(metrics, predict_exchange(metrics, {}), problem.given);
}

void tell_mapping(const NotedGrid& made, report::Grid& row) {
  const mapping::Mapping& mapping = made.plan->mapping;
  if (!mapping.given_nodes.empty())
    row.nodes =
        static_cast<std::uint64_t>(*std::max_element(mapping.given_nodes.begin(), mapping.given_nodes.end())) + 1;
  row.moved_ranks = made.moved == Moved::nothing ? 0 : static_cast<std::uint64_t>(mapping.moved_ranks);
  row.before = metrics_of(mapping.before, mapping.predicted_before, mapping.given_nodes);
  row.after = metrics_of(mapping.after, mapping.predicted_after, mapping.node_of_cell);
  row.lower_bound = static_cast<double>(mapping.lower_bound);
  for (const mapping::Entry& entry : mapping.entries)
    row.jsum_by_mapper[std::string(name_of(entry.mapper))] = static_cast<std::uint64_t>(entry.standing.jsum);
  row.mapping_ns.add(static_cast<std::uint64_t>(mapping.seconds * 1e9));
  if (row.reason.empty()) row.reason = mapping.reason;
  if (made.moved == Moved::coordinates)
    row.reason = "ranks stay as they were, coordinates moved: they no longer follow from ranks in row-major order";
}

report::Grid row_of(const NotedGrid& made, bool placed, const std::string& reason) {
  report::Grid row;
  row.made = 1;
  row.processes = static_cast<std::uint64_t>(made.grid.cells());
  row.reason = reason;
  row.stencil = settings().text(Option::kCartStencil);
  row.weights = settings().text(Option::kCartWeights);
  if (made.plan != nullptr)
    tell_mapping(made, row);
  else if (placed)
    measure_given(made, row);
  return row;
}

}  // namespace

std::optional<mapping::Grid> acceptable_grid(int size, int ndims, const int* dims, const int* periods) {
  if (ndims < 1 || dims == nullptr || periods == nullptr) return std::nullopt;
  std::int64_t cells = 1;
  for (int d = 0; d < ndims; ++d) {
    if (dims[d] < 1) return std::nullopt;
    cells *= dims[d];
    if (cells > size) return std::nullopt;
  }
  const auto n = static_cast<std::size_t>(ndims);
  return mapping::make_grid({dims, n}, {periods, n});
}

const Communicator* seen_by_all(MPI_Comm communicator) {
  const Communicator* books = books::find(communicator);
  if (books == nullptr) return nullptr;
  return books->site != nullptr || communicator == predefined().comm_world ? books : nullptr;
}

bool maps_grids(bool program_allows) { return settings().is(Option::kCart, "report") || may_move(program_allows); }

bool may_move(bool program_allows) {
  if (settings().is(Option::kCart, "off") || settings().is(Option::kCart, "report")) return false;
  return program_allows || settings().on(Option::kCartForce);
}

bool keeps_ranks(bool program_allows, const void* caller) {
  if (settings().is(Option::kCartMove, "auto")) return !program_allows || mixes_ranks(caller);
  return settings().is(Option::kCartMove, "coordinates");
}

std::shared_ptr<const GridPlan> plan_grid(MPI_Comm communicator, const Communicator& books, const mapping::Grid& grid) {
  const std::optional<RankMap> processes = placed_processes(communicator, books);
  if (!processes) return nullptr;
  // What some process must still learn, all find out together.
  std::shared_ptr<const GridPlan> known = known_plans().find(*processes, grid);
  const std::array<int, 2> mine{known ? 0 : 1, is_bound() ? 1 : 0};
  std::array<int, 2> any{};
  if (pmpi().Allreduce(mine.data(), any.data(), 2, predefined().type_int, predefined().op_max, communicator) !=
      MPI_SUCCESS)
    return nullptr;
  if (any[0] == 0) return known;

  const std::vector<std::int32_t> nodes = nodes_of(*processes);
  mapping::CartRequest request = request_for(grid, nodes);
  request.team = team_of(communicator);
  if (any[1] != 0) request.levels = learn_domains(communicator, *processes);
  const std::shared_ptr<GridPlan> plan = worked_out(request);
  if (!request.levels.empty()) {
    // Each process knows the domains of its own node only: one that moves makes all take part.
    plan->complete = false;
    const int moves = plan->moves ? 1 : 0;
    int any_moves = 0;
    pmpi().Allreduce(&moves, &any_moves, 1, predefined().type_int, predefined().op_max, communicator);
    plan->moves = any_moves != 0;
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

void note_grid(const CallFrames& frames, MPI_Comm communicator, const Communicator& books, const mapping::Grid& grid,
               std::shared_ptr<const GridPlan> plan, Moved moved, const std::string& reason) {
  const std::optional<RankMap> processes = placed_processes(communicator, books);
  NotedGrids& noted = noted_grids();
  const std::lock_guard lock(noted.mutex);
  noted.ranks_moved |= moved == Moved::ranks;
  NotedGrid made{frames, grid, processes.value_or(books.map), std::move(plan), moved};
  for (NotedGrid& known : noted.all)
    if (known.is_again(made)) {
      ++known.row.made;
      if (made.plan != nullptr) known.row.mapping_ns.add(0);
      return;
    }
  made.key = key_of(made);
  made.row = row_of(made, processes.has_value(), reason);
  const auto same = std::find_if(noted.all.begin(), noted.all.end(), [&](const auto& n) { return n.key == made.key; });
  if (same == noted.all.end()) {
    noted.all.push_back(std::move(made));
  } else {
    made.row.merge(same->row);
    *same = std::move(made);
  }
}

void put_grids_into(report::Record& record) {
  NotedGrids& noted = noted_grids();
  const std::lock_guard lock(noted.mutex);
  for (const NotedGrid& grid : noted.all) record.grids[grid.key].merge(grid.row);
  if (noted.ranks_moved)
    record.warn(
        "MPI_Cart_create gave processes other ranks than in the communicator it was called on: a program that uses "
        "ranks of one in the other needs MARSHAL_CART_MOVE=coordinates or MARSHAL_CART=off");
}

}  // namespace marshal
