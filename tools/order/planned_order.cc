#include "tools/order/planned_order.h"

#include "tools/order/worth_moving.h"
#include "traffic/tried_order.h"

namespace marshal::tools {

PlannedOrder find_order(const traffic::Matrix& traffic, const Places& places, const mapping::OrderRules& rules,
                        const mapping::Machine& machine) {
  PlannedOrder found;
  const std::vector<std::int32_t> capacity = places.capacity();
  {
    const mapping::NeighbourLists weights = traffic::weights_of(traffic);
    found.order = mapping::plan_order({weights, capacity, places.given, places.levels, rules, places.above});
  }
  const auto nodes = static_cast<std::int32_t>(capacity.size());
  found.before = node_traffic(traffic, places.nodes_of(places.given), nodes);
  found.after = node_traffic(traffic, places.nodes_of(found.order.place_of_rank), nodes);
  found.predicted_before = predict_traffic(found.before, machine);
  found.predicted_after = predict_traffic(found.after, machine);
  if (found.order.moved)
    found.reason_to_stay =
        reason_to_stay({found.before.bytes_between, found.after.bytes_between, found.predicted_before.seconds,
                        found.predicted_after.seconds, collectives_in_parts(traffic.job)});
  return found;
}

}  // namespace marshal::tools
