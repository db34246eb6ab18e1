#include "tools/launch/launch_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "base/message.h"
#include "base/small_file.h"
#include "base/split_text.h"
#include "mapping/plan_order.h"
#include "mapping/prediction.h"
#include "tools/order/worth_moving.h"
#include "tools/switches.h"
#include "traffic/tried_order.h"

namespace marshal::tools {
namespace {

bool has_fact(const traffic::Job& job, const char* fact) { return job.facts.contains(fact); }

std::string_view mpi_of(const traffic::Job& job) {
  const auto fact = job.facts.find("mpi");
  return fact == job.facts.end() ? std::string_view() : std::string_view(fact->second);
}

// Inside a job of Slurm hydra does so by itself.
bool starts_by_srun(const LauncherCommand& command) {
  const char* const variable = std::getenv("HYDRA_LAUNCHER");
  const std::string starter = !command.starter.empty() ? command.starter : variable != nullptr ? variable : "";
  return starter == "slurm" || (starter.empty() && std::getenv("SLURM_JOB_ID") != nullptr);
}

// The node of each rank where the launcher alone places them.
std::vector<std::int32_t> given_nodes(const traffic::Job& measured, const NodeList& nodes) {
  const std::size_t ranks = measured.processes();
  std::vector<std::int32_t> node_of_rank;
  // Where nobody says how many ranks a node takes, the launcher did so in the run that was measured.
  if (!nodes.has_places) {
    if (measured.nodes() > nodes.hosts.size()) return {};
    for (const std::uint32_t node : measured.node_of_process) node_of_rank.push_back(static_cast<std::int32_t>(node));
    return node_of_rank;
  }
  do {
    for (std::size_t node = 0; node < nodes.hosts.size() && node_of_rank.size() < ranks; ++node)
      node_of_rank.insert(node_of_rank.end(),
                          std::min(ranks - node_of_rank.size(), static_cast<std::size_t>(nodes.hosts[node].places)),
                          static_cast<std::int32_t>(node));
  } while (nodes.cycles && node_of_rank.size() < ranks);
  if (node_of_rank.size() < ranks) return {};
  return node_of_rank;
}

}  // namespace

std::string why_not_to_be_placed(const LauncherCommand& command, const traffic::Job& measured) {
  if (!command.placement.empty()) return fmt::format("{} places the ranks", command.placement);
  if (const std::string variable = placement_in_environment(command.kind); !variable.empty())
    return fmt::format("{} places the ranks", variable);
  if (command.kind == LauncherKind::open_mpi && !command.binding.empty() && command.binding != "none" &&
      command.binding != "core" && command.binding != "socket")
    return fmt::format("--bind-to {} cannot be repeated in another order", command.binding);
  if (command.kind == LauncherKind::srun && !mpi_of(measured).starts_with("Open MPI"))
    return fmt::format("{} under srun shares no memory in an order that is not by node", mpi_of(measured));
  if (command.kind == LauncherKind::hydra && starts_by_srun(command))
    return "mpiexec of MPICH starts its proxies by srun here, which waits for ever where a node has two";
  if (command.kind == LauncherKind::hydra && has_fact(measured, "splits_by_node"))
    return "the program asks which ranks share memory, and MPICH's mpiexec answers otherwise in another order";
  if (has_fact(measured, "moved")) return "the program's grid moves its ranks already";
  return {};
}

LaunchOrder find_launch_order(const traffic::Matrix& traffic, const NodeList& nodes, const std::string& topology_file) {
  LaunchOrder found;
  if (!nodes.why_not.empty()) {
    found.why_not = "the nodes are not known: " + nodes.why_not;
    return found;
  }
  const std::vector<std::int32_t> given = given_nodes(traffic.job, nodes);
  if (given.empty()) {
    found.why_not = fmt::format("how many ranks each of the {} nodes takes is not known", nodes.hosts.size());
    return found;
  }
  found.places = places_for(nodes.hosts, given);
  const std::vector<std::int32_t> capacity = found.places.capacity();
  if (capacity.size() < 2) {
    found.why_not = "all ranks are on one node";
    return found;
  }
  const mapping::NeighbourLists weights = traffic::weights_of(traffic);
  if (!topology_file.empty()) {
    std::vector<std::string> names;
    for (const Host& host : found.places.hosts) names.push_back(host.name);
    try {
      found.places.above = levels_in_file(topology_file, names);
    } catch (const std::invalid_argument& error) {  // it is the run that matters
      say(Level::warning, "launch: the switches above the nodes are not taken into account: {}", error.what());
    }
  }
  const mapping::Order order =
      mapping::plan_order({weights, capacity, found.places.given, {}, mapping::OrderRules{}, found.places.above});
  found.place_of_rank = order.place_of_rank;
  const auto count = static_cast<std::int32_t>(capacity.size());
  found.before = node_traffic(traffic, found.places.nodes_of(found.places.given), count);
  found.after = node_traffic(traffic, found.places.nodes_of(found.place_of_rank), count);
  const mapping::Machine machine{};
  // Among switches an order may be better that sends as much between nodes.
  if (!order.moved || (found.places.above.empty() && found.after.bytes_between >= found.before.bytes_between))
    found.why_not = "no better one was found";
  else
    found.why_not = reason_to_stay({found.before.bytes_between, found.after.bytes_between,
                                    predict_traffic(found.before, machine).seconds,
                                    predict_traffic(found.after, machine).seconds, collectives_in_parts(traffic.job)});
  return found;
}

LaunchOrder read_launch_order(const std::string& path, std::int32_t ranks) {
  std::string text;
  if (const std::string why = read_small_file_or_pipe(path, text); !why.empty())
    throw std::invalid_argument(fmt::format("--order {}: {}", path, why));
  std::vector<Host> hosts;
  std::vector<std::int32_t> node_of_rank;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    auto host = std::find_if(hosts.begin(), hosts.end(), [&](const Host& other) { return other.name == line; });
    if (host == hosts.end()) host = hosts.insert(hosts.end(), parse_hostfile(line, "--order " + path).front());
    node_of_rank.push_back(static_cast<std::int32_t>(host - hosts.begin()));
  }
  if (ranks != 0 && node_of_rank.size() != static_cast<std::size_t>(ranks))
    throw std::invalid_argument(fmt::format("--order {}: it has {} hosts, one for each rank, and the job has {} ranks",
                                            path, node_of_rank.size(), ranks));
  LaunchOrder found;
  found.places = places_for(std::move(hosts), node_of_rank);
  found.place_of_rank = found.places.given;
  return found;
}

}  // namespace marshal::tools
