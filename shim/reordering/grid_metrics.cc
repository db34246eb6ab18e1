#include "reordering/grid_metrics.h"

namespace marshal {
namespace {

report::Spread spread_of(const mapping::PartnerCount& partners, std::int64_t processes) {
  report::Spread spread;
  spread.samples = static_cast<std::uint64_t>(processes);
  spread.sum = static_cast<std::uint64_t>(partners.sum);
  spread.min = static_cast<std::uint64_t>(partners.min);
  spread.max = static_cast<std::uint64_t>(partners.max);
  return spread;
}

}  // namespace

report::GridMetrics metrics_of(const mapping::Metrics& metrics) {
  report::GridMetrics row;
  row.jsum = static_cast<double>(metrics.jsum);
  row.jmax = static_cast<double>(metrics.jmax);
  row.on_node = spread_of(metrics.on_node, metrics.cells);
  row.off_node = spread_of(metrics.off_node, metrics.cells);
  return row;
}

}  // namespace marshal
