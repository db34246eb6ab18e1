#include "reordering/placed_grid.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "host/node_levels.h"
#include "host/node_map.h"
#include "host/process_groups.h"
#include "mapping/stencil.h"

namespace marshal {
namespace {

// The short way from one cell to another.
std::vector<int> displacement(const mapping::Grid& grid, std::int32_t from, std::int32_t to) {
  std::vector<int> here(grid.dims.size()), there(grid.dims.size());
  mapping::coordinates_of(grid, from, here);
  mapping::coordinates_of(grid, to, there);
  for (int d = 0; d < grid.ndims(); ++d) {
    const int length = grid.length(d);
    int& step = there[static_cast<std::size_t>(d)];
    step -= here[static_cast<std::size_t>(d)];
    if (!grid.wraps(d)) continue;
    if (2 * step > length) step -= length;
    if (2 * step <= -length) step += length;
  }
  return there;
}

// At most report::most_near displacements are.
bool is_near(const std::vector<int>& displacement) {
  constexpr int reach_of[] = {0, 62, 5, 2, 1};
  const std::size_t dimensions = displacement.size();
  int largest = 0, sum = 0;
  for (const int step : displacement) {
    largest = std::max(largest, std::abs(step));
    sum += std::abs(step);
  }
  return dimensions < std::size(reach_of) ? largest <= reach_of[dimensions] : sum == 1;
}

void add_crossing_above(const Leg& leg, std::uint64_t bytes, std::map<std::string, report::PlacedBytes>& above) {
  for (const mapping::NodeLevel& level : node_levels()) {
    const auto crosses = [&](std::int32_t from, std::int32_t to) {
      return level.domain_of_node[static_cast<std::size_t>(from)] != level.domain_of_node[static_cast<std::size_t>(to)];
    };
    const bool now = crosses(leg.from, leg.to), before = crosses(leg.given_from, leg.given_to);
    if (!now && !before) continue;
    report::PlacedBytes& sum = above[level.name];
    sum.in_force += now ? bytes : 0;
    sum.given += before ? bytes : 0;
  }
}

}  // namespace

PlacedGrid::PlacedGrid(mapping::Grid grid, RankMap members, RankMap given)
    : grid_(std::move(grid)), members_(std::move(members)), given_(std::move(given)) {}

std::int32_t PlacedGrid::cell_of(std::int32_t lpid) const {
  const std::int32_t cell = members_.rank_of({0, lpid});
  return cell < grid_.cells() ? cell : -1;
}

std::int32_t PlacedGrid::given_for(std::int32_t lpid) const {
  const std::int32_t cell = cell_of(lpid);
  return cell < 0 || cell >= given_.size() ? lpid : given_.process(cell).lpid;
}

Leg leg_to(PeerName peer, const PlacedGrid* grid) {
  const NodeMap& nodes = node_map();
  const std::int32_t self = process_groups().world_rank();
  Leg leg{};
  leg.from = nodes.node_of(self);
  leg.given_from = grid == nullptr ? leg.from : nodes.node_of(grid->given_for(self));
  if (is_node(peer)) {
    leg.to = leg.given_to = node_of_peer(peer);
  } else {
    leg.to = nodes.node_of(peer);
    leg.given_to = grid == nullptr ? leg.to : nodes.node_of(grid->given_for(peer));
  }
  return leg;
}

void add_crossing(const Leg& leg, std::uint64_t bytes, report::PlacedBytes& between_nodes,
                  report::BytesOfNodes& leaving) {
  if (leg.from != leg.to) {
    between_nodes.in_force += bytes;
    leaving[static_cast<std::uint64_t>(leg.from)].in_force += bytes;
  }
  if (leg.given_from != leg.given_to) {
    between_nodes.given += bytes;
    leaving[static_cast<std::uint64_t>(leg.given_from)].given += bytes;
  }
}

report::GridTraffic traffic_in(const PlacedGrid& grid, const std::vector<SentTo>& sent,
                               std::initializer_list<GridNumber> numbers) {
  report::GridTraffic traffic;
  const std::int32_t self = process_groups().world_rank();
  const std::int32_t cell = grid.cell_of(self);
  if (cell < 0 || node_map().nodes() == 0) return traffic;
  traffic.processes = 1;
  for (const SentTo& to : sent) {
    if (to.name < 0 || to.name == self || std::ranges::find(numbers, to.grid) == numbers.end()) continue;
    const std::int32_t partner = grid.cell_of(to.name);
    if (partner < 0) continue;
    traffic.messages += to.messages;
    traffic.bytes += to.bytes;
    const std::vector<int> steps = displacement(grid.grid(), cell, partner);
    traffic.add(mapping::text_of(steps), is_near(steps), {to.bytes != 0 ? 1u : 0u, to.bytes});
    if (to.bytes == 0) continue;
    const Leg leg = leg_to(to.name, &grid);
    add_crossing(leg, to.bytes, traffic.between_nodes, traffic.leaving);
    add_crossing_above(leg, to.bytes, traffic.above);
  }
  return traffic;
}

}  // namespace marshal
