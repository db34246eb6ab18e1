#include "job/traffic_record.h"

#include <utility>

#include "host/node_map.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

std::uint64_t number(std::int32_t node) { return static_cast<std::uint64_t>(node); }

void add_leg(report::Traffic& traffic, const Leg& leg, std::uint64_t bytes) {
  add_crossing(leg, bytes, traffic.between_nodes, traffic.leaving);
  const std::uint64_t block = traffic.nodes_a_row;
  traffic.heat[{number(leg.from) / block, number(leg.to) / block}].in_force += bytes;
  traffic.heat[{number(leg.given_from) / block, number(leg.given_to) / block}].given += bytes;
}

}  // namespace

void put_traffic_into(report::Record& record, const std::vector<SentTo>& sent, const PlacedGrid* moved) {
  report::Traffic& traffic = record.traffic;
  if (!is_watching_messages()) return;
  traffic.processes = 1;
  traffic.lost_messages = lost_messages();
  const auto nodes = number(node_map().nodes());
  traffic.nodes_a_row = nodes == 0 ? 1 : (nodes + report::most_heat_rows - 1) / report::most_heat_rows;
  for (const SentTo& to : sent) {
    if (to.name == foreign_peer) {
      traffic.foreign_messages += to.messages;
      traffic.foreign_bytes += to.bytes;
      continue;
    }
    traffic.messages += to.messages;
    traffic.bytes += to.bytes;
    if (nodes != 0 && to.bytes != 0) add_leg(traffic, leg_to(to.name, moved), to.bytes);
  }
}

}  // namespace marshal
