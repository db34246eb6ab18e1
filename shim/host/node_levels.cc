#include "host/node_levels.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
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
#include "host/process_groups.h"
#include "settings/settings_in_force.h"
#include "topology/domains.h"
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
  const bool leads = nodes.leader_of(nodes.node_of(rank)) == rank;
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

std::vector<mapping::DomainLevel> levels_above(std::span<const std::int32_t> node_of_rank) {
  return mapping::levels_of_ranks(node_levels(), node_of_rank);
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

namespace {

constexpr std::array<const char*, 3> level_names{"package", "numa", "l3"};

// The message of a process to its neighbours on the node.
struct BoundCpus {
  static constexpr int most_cpus = 4096;  // a process bound to a later one counts as not bound
  std::array<std::uint64_t, most_cpus / 64> cpus{};
  std::int32_t bound = 0;
  std::int32_t lpid = 0;
};

std::string inside_of_nodes() {
  if (!settings().topology_given) return {};
  try {
    return topology::parse_placement(settings().text(Option::topology)).inside;
  } catch (const std::invalid_argument&) {
    return {};  // learn_nodes() has reported it
  }
}

bool is_wanted(const char* level) {
  return settings().has(Option::cart_levels, "auto") || settings().has(Option::cart_levels, level);
}

std::vector<std::string> wanted_levels() {
  std::vector<std::string> wanted;
  std::copy_if(level_names.begin(), level_names.end(), std::back_inserter(wanted), is_wanted);
  return wanted;
}

BoundCpus own_bound_cpus() {
  BoundCpus bound;
  bound.lpid = process_groups().world_rank();
  bound.bound = is_bound() ? 1 : 0;
  for (const int cpu : topology::own_cpus()) {
    if (cpu >= BoundCpus::most_cpus) {
      bound.bound = 0;
      break;
    }
    bound.cpus[static_cast<std::size_t>(cpu) / 64] |= std::uint64_t{1} << (cpu % 64);
  }
  return bound;
}

topology::Cpus cpus_of(const BoundCpus& bound) {
  topology::Cpus cpus;
  if (bound.bound == 0) return cpus;
  for (int cpu = 0; cpu < BoundCpus::most_cpus; ++cpu)
    if ((bound.cpus[static_cast<std::size_t>(cpu) / 64] >> (cpu % 64) & 1) != 0) cpus.push_back(cpu);
  return cpus;
}

// Domains of the processes on one node, in the order of `all_bound`. A made-up node holds all processes that the job
// has there, also those that are not in the communicator.
topology::Domains domains_on_node(const std::vector<BoundCpus>& all_bound) {
  const std::vector<std::string> wanted = wanted_levels();
  const std::string inside = inside_of_nodes();
  if (inside.empty()) {
    std::vector<topology::Cpus> processes;
    for (const BoundCpus& bound : all_bound) processes.push_back(cpus_of(bound));
    return topology::domains_of(processes, wanted);
  }
  const std::int32_t node = node_map().node_of(all_bound.front().lpid);
  std::vector<std::int32_t> on_node;
  for (std::int32_t lpid = 0; lpid < node_map().processes(); ++lpid)
    if (node_map().node_of(lpid) == node) on_node.push_back(lpid);
  topology::Domains all = topology::synthetic_domains(inside, static_cast<std::int32_t>(on_node.size()), wanted);
  for (topology::DomainLevel& level : all.levels) {
    std::vector<std::int32_t> present;
    for (const BoundCpus& bound : all_bound) {
      const auto place = std::lower_bound(on_node.begin(), on_node.end(), bound.lpid) - on_node.begin();
      present.push_back(level.domain_of[static_cast<std::size_t>(place)]);
    }
    level.domain_of = std::move(present);
  }
  return all;
}

}  // namespace

bool is_bound() {
  if (settings().has(Option::cart_levels, "node") || std::none_of(level_names.begin(), level_names.end(), is_wanted))
    return false;
  if (settings().topology_given) return !inside_of_nodes().empty();
  const auto cpus = static_cast<long>(topology::own_cpus().size());
  return cpus > 0 && cpus < sysconf(_SC_NPROCESSORS_ONLN);
}

// AGREEMENT: domains inside nodes
std::vector<mapping::DomainLevel> learn_domains(JointWork& all, const RankMap& map) {
  std::vector<mapping::DomainLevel> levels;
  for (const char* name : level_names)
    levels.push_back({name, std::vector<std::int32_t>(static_cast<std::size_t>(map.size()), -1)});
  const auto& own = predefined();
  MPI_Comm& node = all.temporary();
  const std::int32_t color = node_map().node_of(process_groups().world_rank());
  all.all_ready();
  checked("MPI_Comm_split", pmpi().Comm_split(all.communicator(), color, 0, &node));
  const int size = size_of(node), rank = own_rank(node);
  const BoundCpus mine = own_bound_cpus();
  std::vector<BoundCpus> all_bound(static_cast<std::size_t>(size));
  all.all_ready();
  checked("MPI_Allgather",
          pmpi().Allgather(&mine, sizeof mine, own.type_byte, all_bound.data(), sizeof mine, own.type_byte, node));

  const auto n = static_cast<std::size_t>(size);
  std::vector<std::int32_t> domains(level_names.size() * n, -1);
  if (rank == 0) {
    topology::Domains found;
    try {
      found = domains_on_node(all_bound);
    } catch (const std::exception& error) {
      found.problem = error.what();  // the others wait for the broadcast
    }
    if (!found.problem.empty()) say(Level::info, "{}", found.problem);
    for (const topology::DomainLevel& level : found.levels) {
      const auto place = std::find(level_names.begin(), level_names.end(), level.name) - level_names.begin();
      std::copy(level.domain_of.begin(), level.domain_of.end(), domains.begin() + place * size);
    }
  }
  all.all_ready();
  checked("MPI_Bcast", pmpi().Bcast(domains.data(), static_cast<int>(domains.size()), own.type_int, 0, node));
  for (std::size_t k = 0; k < levels.size(); ++k)
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t member = map.rank_of({0, all_bound[i].lpid});
      if (member >= 0) levels[k].domain_of_rank[static_cast<std::size_t>(member)] = domains[k * n + i];
    }
  return levels;
}

}  // namespace marshal
