#include "reordering/grid_record.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

#include "base/immortal.h"
#include "host/pmpi.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

// The equal grids that one place of the program made. The first one is evaluated for the report.
struct NotedGrid {
  CallFrames frames;
  mapping::Grid grid;
  RankMap map;                           // of the processes it was made of
  std::shared_ptr<const GridPlan> plan;  // null: nothing was looked for
  bool moved;
  int rank = 0;                        // of this process in it; rank 0 tells of the grid
  std::optional<PlacedGrid> placed{};  // nothing where the nodes of its processes are not known
  report::GridKey key{};
  report::Grid row{};
  std::chrono::steady_clock::time_point noted_at = std::chrono::steady_clock::now();

  bool tells() const { return rank == 0; }
  bool is_again(const NotedGrid& other) const {
    return plan == other.plan && moved == other.moved && grid == other.grid && frames == other.frames &&
           map.same_representation(other.map);
  }
};

struct NotedGrids {
  std::mutex mutex;
  std::vector<NotedGrid> all;
  std::map<report::GridKey, report::Grid> graphs;
};
NotedGrids& noted_grids() {
  static Immortal<NotedGrids> the;
  return *the;
}

report::Spread spread_of(const mapping::PartnerCount& partners, std::int64_t processes) {
  report::Spread spread;
  spread.samples = static_cast<std::uint64_t>(processes);
  spread.sum = static_cast<std::uint64_t>(partners.sum);
  spread.min = static_cast<std::uint64_t>(partners.min);
  spread.max = static_cast<std::uint64_t>(partners.max);
  return spread;
}

report::GridMetrics metrics_of(const mapping::Metrics& metrics) {
  report::GridMetrics row;
  row.jsum = static_cast<double>(metrics.jsum);
  row.jmax = static_cast<double>(metrics.jmax);
  row.on_node = spread_of(metrics.on_node, metrics.cells);
  row.off_node = spread_of(metrics.off_node, metrics.cells);
  return row;
}

report::GridMetrics predicted_metrics(const mapping::Metrics& metrics, const mapping::Prediction& predicted,
                                      const std::vector<std::int32_t>& node_of_cell) {
  report::GridMetrics row = metrics_of(metrics);
  row.predicted_exchange_s = predicted.seconds;
  row.limited_by = name_of(predicted.limit);
  row.node_runs = report::node_runs({node_of_cell.begin(), node_of_cell.end()});
  return row;
}

report::GridKey grid_key_of(const NotedGrid& made) {
  report::GridKey key;
  key.site = site_of("MPI_Cart_create", made.frames);
  for (int d = 0; d < made.grid.ndims(); ++d) {
    key.dims.push_back(static_cast<std::uint64_t>(made.grid.length(d)));
    key.periodic.push_back(made.grid.wraps(d) ? 1 : 0);
  }
  key.moved = made.moved;
  if (made.plan == nullptr)
    key.mapper = "off";
  else if (made.plan->mapping.winner == mapping::Mapper::given)
    key.mapper = settings().cart_word;
  else
    key.mapper = name_of(made.plan->mapping.winner);
  return key;
}

// Evaluates the order given, if no other order was looked for.
void measure_given(const NotedGrid& made, const mapping::Stencil& stencil, report::Grid& row) {
  const std::vector<std::int32_t> nodes = nodes_of(made.map);
  const mapping::Problem problem = mapping::make_problem(made.grid, stencil, nodes);
  const mapping::Metrics metrics = measure(made.grid, problem.stencil, problem.given, problem.nodes());
  row.nodes = static_cast<std::uint64_t>(problem.nodes());
  row.before = row.after = predicted_metrics(metrics, predict_exchange(metrics, {}), problem.given);
}

void add_level(const mapping::AboveGain& level, report::Grid& row) {
  if (level.before.jsum == 0 && level.after.jsum == 0) return;
  row.above[level.name] = {static_cast<double>(level.before.jsum), static_cast<double>(level.after.jsum)};
}

void tell_mapping(const NotedGrid& made, report::Grid& row) {
  const mapping::Mapping& mapping = made.plan->mapping;
  if (!mapping.given_nodes.empty())
    row.nodes =
        static_cast<std::uint64_t>(*std::max_element(mapping.given_nodes.begin(), mapping.given_nodes.end())) + 1;
  row.moved_ranks = made.moved ? static_cast<std::uint64_t>(mapping.moved_ranks) : 0;
  row.before = predicted_metrics(mapping.before, mapping.predicted_before, mapping.given_nodes);
  row.after = predicted_metrics(mapping.after, mapping.predicted_after, mapping.node_of_cell);
  for (const mapping::AboveGain& level : mapping.above) add_level(level, row);
  row.lower_bound = static_cast<double>(mapping.lower_bound);
  for (const mapping::Contestant& entry : mapping.entries)
    row.jsum_by_mapper[std::string(name_of(entry.mapper))] = static_cast<std::uint64_t>(entry.standing.jsum);
  row.mapping_ns.add(static_cast<std::uint64_t>(mapping.seconds * 1e9));
  if (row.reason.empty()) row.reason = mapping.reason;
  if (made.moved && row.reason.empty())
    row.reason =
        "processes have other ranks in the grid than in the communicator that it was made from (MARSHAL_CART=off keeps "
        "them)";
}

report::Grid row_of(const NotedGrid& made, bool placed, const std::string& reason) {
  report::Grid row;
  row.made = 1;
  row.processes = static_cast<std::uint64_t>(made.grid.cells());
  row.reason = reason;
  const GridStencil stencil = made.plan != nullptr ? made.plan->stencil : stencil_in_force(made.grid.ndims());
  row.stencil = stencil.text;
  row.weights = stencil.weights;
  row.learned_from = stencil.learned_from;
  if (made.plan != nullptr)
    tell_mapping(made, row);
  else if (placed)
    measure_given(made, stencil.stencil, row);
  return row;
}

// Rank 0 tells of a grid. Where the processes of the grid are not known, rank 0 of the communicator that it was made
// from does.
int rank_to_tell(MPI_Comm made, const Communicator& made_from) {
  if (settings().asks_host) return own_rank(made);
  const Communicator* const entry = books::find(made);
  return rank_by_map(entry != nullptr && entry->is_known() ? *entry : made_from);
}

// By place in the list; 0 behind the last number.
GridNumber number_of(std::size_t place) {
  return place < std::numeric_limits<GridNumber>::max() ? static_cast<GridNumber>(place + 1) : GridNumber{0};
}

// The grid that messages on communicators of no grid belong to, by the order of its cells, as far as is known: the only
// one that the program made, if it kept that for at least half of the time, and sent nothing in it. Such a program
// asks the grid for neighbours, and sends by their ranks elsewhere. Null: there is none.
const NotedGrid* grid_of_others(const NotedGrids& noted, const std::vector<SentTo>& sent) {
  if (noted.all.size() != 1) return nullptr;
  const NotedGrid& grid = noted.all.front();
  const GridNumber number = number_of(0);
  if (std::ranges::any_of(sent, [&](const SentTo& to) { return to.grid == number; })) return nullptr;
  return books::part_alive(number, grid.noted_at) >= 0.5 ? &grid : nullptr;
}

std::optional<PlacedGrid> placed_grid(MPI_Comm made, const mapping::Grid& grid, const RankMap& given) {
  const Communicator* const entry = books::find(made);
  if (entry == nullptr) return std::nullopt;
  std::optional<RankMap> members = placed_processes(made, *entry);
  if (!members) return std::nullopt;
  return PlacedGrid(grid, std::move(*members), given);
}

}  // namespace

void note_grid(const CallFrames& frames, MPI_Comm made_of, MPI_Comm parent, const Communicator& entry,
               const mapping::Grid& grid, std::shared_ptr<const GridPlan> plan, bool moved, const std::string& reason) {
  const std::optional<RankMap> processes = placed_processes(parent, entry);
  NotedGrids& noted = noted_grids();
  const std::lock_guard lock(noted.mutex);
  NotedGrid made{frames, grid, processes.value_or(entry.map), std::move(plan), moved, rank_to_tell(made_of, entry)};
  const Communicator* const its_entry = books::find(made_of);
  const auto give_number = [&](std::size_t place) {
    if (its_entry != nullptr) its_entry->grid = number_of(place);
  };
  for (std::size_t i = 0; i < noted.all.size(); ++i)
    if (NotedGrid& known = noted.all[i]; known.is_again(made)) {
      give_number(i);
      if (known.tells()) ++known.row.made;
      if (known.tells() && made.plan != nullptr) known.row.mapping_ns.add(0);
      return;
    }
  made.key = grid_key_of(made);
  const bool is_known = its_entry != nullptr && its_entry->is_known();
  if (made.tells()) made.row = row_of(made, processes.has_value() && is_known, reason);
  if (processes) made.placed = placed_grid(made_of, grid, *processes);
  const auto same = std::find_if(noted.all.begin(), noted.all.end(), [&](const auto& n) { return n.key == made.key; });
  give_number(static_cast<std::size_t>(same - noted.all.begin()));
  if (same == noted.all.end()) {
    noted.all.push_back(std::move(made));
  } else {
    made.row.merge(same->row);
    made.noted_at = same->noted_at;
    *same = std::move(made);
  }
}

void note_graph(const CallFrames& frames, const char* call, int processes, const PlannedGraph& plan, bool moved) {
  report::GridKey key;
  key.site = site_of(call, frames);
  key.moved = moved;
  key.mapper = settings().graph_word;
  report::Grid row;
  row.made = 1;
  row.processes = static_cast<std::uint64_t>(processes);
  row.reason = plan.reason;
  row.stencil = "the program's edges";
  if (plan.order) {
    row.nodes = static_cast<std::uint64_t>(plan.order->nodes);
    row.moved_ranks = moved ? static_cast<std::uint64_t>(plan.order->moved_ranks) : 0;
    row.before = metrics_of(plan.order->before);
    row.after = metrics_of(plan.order->after);
    for (const mapping::AboveGain& level : plan.order->above) add_level(level, row);
    row.mapping_ns.add(static_cast<std::uint64_t>(plan.order->seconds * 1e9));
    row.jsum_by_mapper[plan.order->method] = static_cast<std::uint64_t>(plan.order->after.jsum);
    if (moved) row.reason = "a process has the rank of the vertex that it plays, not that of the communicator before";
  }
  NotedGrids& noted = noted_grids();
  const std::lock_guard lock(noted.mutex);
  const auto [found, is_new] = noted.graphs.try_emplace(key, row);
  if (!is_new) found->second.merge(row);
}

void put_grids_into(report::Record& record, const std::vector<SentTo>& sent) {
  NotedGrids& noted = noted_grids();
  const std::lock_guard lock(noted.mutex);
  const NotedGrid* const of_others = grid_of_others(noted, sent);
  for (std::size_t i = 0; i < noted.all.size(); ++i) {
    const NotedGrid& grid = noted.all[i];
    report::Grid row = grid.row;
    if (grid.placed && is_watching_messages()) {
      const GridNumber number = number_of(i);
      row.traffic = number == 0          ? report::GridTraffic{.processes = 1}
                    : &grid == of_others ? traffic_in(*grid.placed, sent, {number, GridNumber{0}})
                                         : traffic_in(*grid.placed, sent, {number});
    }
    record.grids[grid.key].merge(row);
  }
  for (const auto& [key, row] : noted.graphs) record.grids[key].merge(row);
}

const PlacedGrid* moved_grid(GridNumber number, const std::vector<SentTo>& sent) {
  NotedGrids& noted = noted_grids();
  const std::lock_guard lock(noted.mutex);
  const NotedGrid* const grid = number == 0                  ? grid_of_others(noted, sent)
                                : number <= noted.all.size() ? &noted.all[number - 1u]
                                                             : nullptr;
  return grid != nullptr && grid->placed && grid->moved ? &*grid->placed : nullptr;
}

}  // namespace marshal
