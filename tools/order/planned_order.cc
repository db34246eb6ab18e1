#include "tools/order/planned_order.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "record/units.h"
#include "traffic/tried_order.h"

namespace marshal::tools {
namespace {

double number_in(const traffic::Job& job, const char* name) {
  const auto fact = job.facts.find(name);
  if (fact == job.facts.end()) return 0;
  double value = 0;
  std::from_chars(fact->second.data(), fact->second.data() + fact->second.size(), value);
  return std::isfinite(value) && value > 0 ? value : 0;
}

}  // namespace

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

double run_seconds(const traffic::Job& job) { return number_in(job, "seconds"); }

double collectives_in_parts(const traffic::Job& job) { return number_in(job, "collectives_in_parts"); }

std::string reason_to_stay(const OrderGain& gain) {
  const double saved = gain.bytes_before - gain.bytes_after;
  if (saved <= 0) return {};
  if (gain.seconds_after > gain.seconds_before) return "the prediction says that it takes longer";
  // At most each of these bytes stays within a node in the order given and leaves it in the one found.
  if (saved < gain.collectives_in_parts)
    return fmt::format(
        "collectives on parts of the job have {}, and more of that can leave the nodes than the {} that are saved",
        report::bytes_text(gain.collectives_in_parts), report::bytes_text(saved));
  return {};
}

}  // namespace marshal::tools
