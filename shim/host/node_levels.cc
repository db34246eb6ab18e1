#include "host/node_levels.h"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/immortal.h"
#include "base/message.h"
#include "base/process_facts.h"
#include "base/small_file.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "settings/settings_in_force.h"
#include "topology/switch_tree.h"

namespace marshal {
namespace {

using topology::SwitchLevel;
using topology::SwitchTree;

std::vector<mapping::NodeLevel>& the_levels() {
  static Immortal<std::vector<mapping::NodeLevel>> levels;
  return *levels;
}

// Cut off where it is longer than a name in the DNS can be.
using HostName = std::array<char, 256>;

// On rank 0 the names of all nodes; elsewhere nothing. The first process of each node sends its name.
std::vector<std::string> gathered_names(JointWork& all) {
  const NodeMap& nodes = node_map();
  const int rank = own_rank(all.communicator());
  bool leads = true;
  for (std::int32_t lpid = 0; lpid < rank && leads; ++lpid) leads = nodes.node_of(lpid) != nodes.node_of(rank);
  HostName own{};
  host_name().copy(own.data(), own.size() - 1);
  std::vector<HostName> gathered(rank == 0 ? static_cast<std::size_t>(nodes.nodes()) : 0);
  MPI_Comm& leaders = all.temporary();
  all.all_ready();
  checked("MPI_Comm_split", pmpi().Comm_split(all.communicator(), leads ? 0 : MPI_UNDEFINED, 0, &leaders));
  all.all_ready();
  if (leads)
    checked("MPI_Gather", pmpi().Gather(own.data(), sizeof own, predefined().type_byte, gathered.data(), sizeof own,
                                        predefined().type_byte, 0, leaders));
  std::vector<std::string> names;
  for (const HostName& name : gathered) names.emplace_back(name.data());
  return names;
}

std::vector<std::string> made_up_names() {
  std::vector<std::string> names;
  for (std::int32_t node = 0; node < node_map().nodes(); ++node) names.push_back("node" + std::to_string(node));
  return names;
}

std::vector<SwitchLevel> levels_in_file(const std::vector<std::string>& names) {
  const std::string path(settings().text(Option::topology_file));
  try {
    std::string text;
    if (const std::string why = read_small_file(path, text); !why.empty())
      throw std::invalid_argument(path + ": " + why);
    return SwitchTree(text, path).levels_above(names);
  } catch (const std::invalid_argument& error) {
    say(Level::warning, "MARSHAL_TOPOLOGY_FILE: {}; the run goes on without the switches", error.what());
    return {};
  }
}

// Gives all processes the levels of rank 0.
std::vector<SwitchLevel> sent_to_all(std::vector<SwitchLevel> levels, JointWork& all) {
  const auto nodes = static_cast<std::size_t>(node_map().nodes());
  std::array<std::int32_t, 1 + SwitchTree::most_levels> heights{static_cast<std::int32_t>(levels.size())};
  for (std::size_t i = 0; i < levels.size(); ++i) heights[1 + i] = levels[i].level;
  const auto broadcast = [&](std::int32_t* numbers, std::size_t count) {
    all.all_ready();
    checked("MPI_Bcast", pmpi().Bcast(numbers, static_cast<int>(count), predefined().type_int, 0, all.communicator()));
  };
  broadcast(heights.data(), heights.size());
  levels.resize(static_cast<std::size_t>(heights[0]));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].level = heights[1 + i];
    levels[i].domain_of_node.resize(nodes);
    broadcast(levels[i].domain_of_node.data(), nodes);
  }
  return levels;
}

}  // namespace

const std::vector<mapping::NodeLevel>& node_levels() { return the_levels(); }

std::vector<mapping::Level> levels_above(std::span<const std::int32_t> node_of_rank) {
  std::vector<mapping::Level> levels;
  for (const mapping::NodeLevel& level : node_levels()) {
    levels.push_back({level.name, {}});
    for (const std::int32_t node : node_of_rank)
      levels.back().domain_of_rank.push_back(level.domain_of_node[static_cast<std::size_t>(node)]);
  }
  return levels;
}

void learn_node_levels(JointWork& all) {  // AGREEMENT: the switches above the nodes
  const bool wanted = settings().has(Option::cart_levels, "auto") || settings().has(Option::cart_levels, "switch");
  if (settings().text(Option::topology_file).empty() || node_map().nodes() < 2 || !wanted) return;
  const std::vector<std::string> names = nodes_are_made_up() ? made_up_names() : gathered_names(all);
  std::vector<SwitchLevel> levels;
  if (own_rank(all.communicator()) == 0) levels = levels_in_file(names);
  for (SwitchLevel& level : sent_to_all(std::move(levels), all))
    the_levels().push_back({topology::name_of_level(level.level), std::move(level.domain_of_node)});
}

}  // namespace marshal
