#include "reordering/graph_record.h"

#include <map>
#include <mutex>

#include "base/immortal.h"
#include "reordering/grid_metrics.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

struct NotedGraphs {
  std::mutex mutex;
  std::map<report::GridKey, report::Grid> all;
};
NotedGraphs& noted_graphs() {
  static Immortal<NotedGraphs> the;
  return *the;
}

}  // namespace

void note_graph(const CallFrames& frames, const char* call, int processes, const PlannedGraph& plan, bool moved) {
  report::GridKey key;
  key.site = site_of(call, frames);
  key.moved = moved;
  key.mapper = settings().word(Option::graph);
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
    row.mapping_ns.add(static_cast<std::uint64_t>(plan.order->seconds * 1e9));
    row.jsum_by_mapper[plan.order->method] = static_cast<std::uint64_t>(plan.order->after.jsum);
    if (moved) row.reason = "a process has the rank of the vertex that it plays, not that of the communicator before";
  }
  NotedGraphs& noted = noted_graphs();
  const std::lock_guard lock(noted.mutex);
  const auto [found, is_new] = noted.all.try_emplace(key, row);
  if (!is_new) found->second.merge(row);
}

void put_graphs_into(report::Record& record) {
  NotedGraphs& noted = noted_graphs();
  const std::lock_guard lock(noted.mutex);
  for (const auto& [key, row] : noted.all) record.grids[key].merge(row);
}

}  // namespace marshal
