#include "tools/launch/launch_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/message.h"
#include "base/small_file.h"
#include "base/split_text.h"
#include "mapping/index.h"
#include "mapping/problem.h"
#include "tools/option_values.h"
#include "tools/order/launcher_files.h"
#include "tools/preloading.h"

namespace marshal::tools {
namespace {

std::set<std::string> names_of(const NodeList& nodes) {
  std::set<std::string> names;
  for (const Host& host : nodes.hosts) names.insert(host.name);
  return names;
}

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

// How many ranks each host had in the run that was measured; nothing where that is not known. An order of Marshal's
// left these numbers as they were.
std::vector<std::int32_t> measured_places(const traffic::Job& measured, const std::vector<Host>& hosts) {
  std::vector<std::int32_t> of_node(measured.nodes()), of_host;
  for (const std::uint32_t node : measured.node_of_process) ++of_node[node];
  if (of_node.empty() || of_node.size() > hosts.size()) return {};
  const bool are_equal = std::adjacent_find(of_node.begin(), of_node.end(), std::not_equal_to<>()) == of_node.end();
  for (std::size_t i = 0; i < of_node.size(); ++i) {
    const auto name = std::find(measured.node_names.begin(), measured.node_names.end(), hosts[i].name);
    if (!are_equal && name == measured.node_names.end()) return {};
    of_host.push_back(are_equal ? of_node[0] : of_node[static_cast<std::size_t>(name - measured.node_names.begin())]);
  }
  return of_host;
}

// The node of each rank where the launcher alone places them; empty: not known.
std::vector<std::int32_t> given_nodes(const traffic::Job& measured, const NodeList& nodes) {
  std::vector<std::int32_t> places, node_of_rank;
  for (const Host& host : nodes.hosts) places.push_back(host.places);
  if (!nodes.has_places) places = measured_places(measured, nodes.hosts);
  const std::size_t ranks = measured.processes();
  do {
    for (std::size_t node = 0; node < places.size() && node_of_rank.size() < ranks; ++node)
      node_of_rank.insert(node_of_rank.end(),
                          std::min(ranks - node_of_rank.size(), static_cast<std::size_t>(places[node])),
                          static_cast<std::int32_t>(node));
  } while (nodes.cycles && !places.empty() && node_of_rank.size() < ranks);
  if (node_of_rank.size() < ranks) node_of_rank.clear();
  return node_of_rank;
}

// False where the launcher was seen to place ranks otherwise: by a setting that Marshal does not read. On other nodes
// it may give them other numbers of ranks.
bool agrees_with_measured(const std::vector<std::int32_t>& given, const traffic::Job& measured, const NodeList& nodes) {
  const std::vector<std::int32_t> nodes_seen(measured.node_of_process.begin(), measured.node_of_process.end());
  mapping::NumberedNodes as_given(given), as_seen(nodes_seen);
  std::sort(as_given.capacity.begin(), as_given.capacity.end());
  std::sort(as_seen.capacity.begin(), as_seen.capacity.end());
  if (as_given.capacity == as_seen.capacity) return has_fact(measured, "placed") || as_given.of_rank == as_seen.of_rank;
  const std::set<std::string> here = names_of(nodes);
  return !nodes.may_differ && !std::all_of(measured.node_names.begin(), measured.node_names.end(),
                                           [&](const std::string& name) { return here.contains(name); });
}

}  // namespace

std::string why_not_by_users_words(const LauncherCommand& command) {
  if (!command.placement.empty()) return fmt::format("{} places the ranks", command.placement);
  for (const std::string& setting : {placement_in_environment(command.kind),
                                     placement_in_files(command.kind, find_program_file(command.words.front()).path)})
    if (!setting.empty()) return fmt::format("{} places the ranks", setting);
  // PRRTE deals out ranks in another way for --bind-to socket.
  if (!command.binding.empty() && command.binding != "none" && command.binding != "core" &&
      (command.kind == LauncherKind::prrte || command.binding != "socket"))
    return fmt::format("--bind-to {} cannot be repeated in another order", command.binding);
  if (command.kind == LauncherKind::hydra && starts_by_srun(command))
    return "mpiexec of MPICH starts its proxies by srun here, which waits for ever where a node has two";
  return {};
}

std::string why_not_by_nodes(const NodeList& nodes) {
  if (!nodes.why_not.empty()) return "the nodes are not known: " + nodes.why_not;
  return nodes.hosts.size() < 2 ? "all ranks are on one node" : "";
}

std::string why_not_by_run(const LauncherCommand& command, const traffic::Job& measured) {
  if (command.kind == LauncherKind::srun && !mpi_of(measured).starts_with("Open MPI"))
    return fmt::format("{} under srun shares no memory in an order that is not by node", mpi_of(measured));
  if (command.kind == LauncherKind::hydra && has_fact(measured, "splits_by_node"))
    return "the program asks which ranks share memory, and MPICH's mpiexec answers otherwise in another order";
  if (has_fact(measured, "moved")) return "the program's grid moves its ranks already";
  return {};
}

LaunchOrder find_launch_order(const traffic::Matrix& traffic, const NodeList& nodes, const std::string& topology_file) {
  LaunchOrder found;
  const std::vector<std::int32_t> given = given_nodes(traffic.job, nodes);
  if (given.empty()) {
    found.why_not = fmt::format("how many ranks each of the {} nodes takes is not known", nodes.hosts.size());
    return found;
  }
  if (!agrees_with_measured(given, traffic.job, nodes)) {
    found.why_not = "the launcher was seen to place ranks in another way than its options say";
    return found;
  }
  found.places = places_for(nodes.hosts, given);
  if (found.places.hosts.size() < 2) {
    found.why_not = "all ranks are on one node";
    return found;
  }
  if (!topology_file.empty()) {
    try {
      found.places.above = levels_in_file(topology_file, found.places.names());
    } catch (const std::invalid_argument& error) {  // it is the run that matters
      say(Level::warning, "launch: the switches above the nodes are not taken into account: {}", error.what());
    }
  }
  found.planned = find_order(traffic, found.places, {}, {});
  const PlannedOrder& planned = found.planned;
  found.place_of_rank = planned.order.place_of_rank;
  // Among switches an order may be better that sends as much between nodes.
  const bool is_better = !found.places.above.empty() || planned.after.bytes_between < planned.before.bytes_between;
  found.why_not = planned.order.moved && is_better ? planned.reason_to_stay : "no better one was found";
  return found;
}

std::string why_not_by_start(const LauncherCommand& command, const LaunchOrder& order, const traffic::Job& measured) {
  if (command.kind != LauncherKind::hydra) return {};
  // Hydra has a proxy for each stretch of ranks on a node. It lets 15 s go by after 8 connections by ssh to one node,
  // as sshd may refuse more at once.
  constexpr std::int32_t proxies_at_once = 8;
  constexpr double pause_s = 15;
  std::vector<std::int32_t> proxies(order.places.hosts.size());
  std::int32_t last = -1;
  for (const std::int32_t node : order.places.nodes_of(order.place_of_rank))
    if (node != last) ++proxies[static_cast<std::size_t>(last = node)];
  const std::int32_t most = proxies.empty() ? 0 : *std::max_element(proxies.begin(), proxies.end());
  const double seconds = most == 0 ? 0 : pause_s * ((most - 1) / proxies_at_once);
  if (seconds <= least_part_of_run * run_seconds(measured)) return {};
  return fmt::format("mpiexec of MPICH would start {} proxies on a node, and waits {:.0f} s for sshd meanwhile", most,
                     seconds);
}

LaunchOrder read_launch_order(const std::string& path, std::int32_t ranks, const NodeList& nodes) {
  const std::string what = "--order " + path;
  std::string text;
  if (const std::string why = read_small_file_or_pipe(path, text); !why.empty())
    throw std::invalid_argument(fmt::format("{}: {}", what, why));
  const std::set<std::string> of_job = names_of(nodes);
  std::vector<Host> hosts;
  std::map<std::string, std::int32_t> number_of;
  std::vector<std::int32_t> node_of_rank;
  for (const Host& named : parse_host_lines(text, what)) {
    if (!of_job.empty() && !of_job.contains(named.name))
      throw std::invalid_argument(fmt::format("{}: {} is none of the job's nodes", what, named.name));
    const auto [number, is_new] = number_of.try_emplace(named.name, static_cast<std::int32_t>(hosts.size()));
    if (is_new) hosts.push_back(named);
    node_of_rank.insert(node_of_rank.end(), static_cast<std::size_t>(named.places), number->second);
  }
  if (ranks != 0 && node_of_rank.size() != static_cast<std::size_t>(ranks))
    throw std::invalid_argument(fmt::format("{}: it has {} hosts, one for each rank, and the job has {} ranks", what,
                                            node_of_rank.size(), ranks));
  LaunchOrder found;
  found.places = places_for(std::move(hosts), node_of_rank);
  found.place_of_rank = found.places.given;
  return found;
}

namespace {

// A host a rank. Slots that have no rank stand there, too: programs ask for the size of the universe, and start others.
std::string sequential_hostfile(const LaunchOrder& order, const NodeList& nodes) {
  std::map<std::string, std::int32_t> spare;
  if (nodes.has_places)
    for (const Host& host : nodes.hosts) spare[host.name] += host.places;
  for (const Host& host : order.places.hosts) spare[host.name] -= host.places;
  std::string text;
  const auto add = [&](const std::string& host, std::int32_t ranks) {
    const std::int32_t slots = ranks + std::max(0, std::exchange(spare[host], 0));
    if (slots > 0) text += slots == 1 ? host + "\n" : fmt::format("{} slots={}\n", host, slots);
  };
  for (const std::int32_t node : order.places.nodes_of(order.place_of_rank))
    add(order.places.hosts[mapping::at(node)].name, 1);
  for (const Host& host : nodes.hosts) add(host.name, 0);
  return text;
}

}  // namespace

EditedCommand with_marshal(const LauncherCommand& command, const std::vector<std::string>& run) {
  EditedCommand edited;
  auto program = command.programs.begin();
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    if (program != command.programs.end() && program->word == i) {
      edited.words.insert(edited.words.end(), run.begin(), run.end());
      ++program;
    }
    edited.words.push_back(command.words[i]);
  }
  return edited;
}

std::string order_file_text(LauncherKind kind, const LaunchOrder& order, const NodeList& nodes) {
  if (kind == LauncherKind::open_mpi || kind == LauncherKind::prrte) return sequential_hostfile(order, nodes);
  const std::string_view word = kind == LauncherKind::hydra ? "mpich" : "slurm";
  for (const Launcher& launcher : launchers())
    if (launcher.word == word) return launcher.text({order.places.hosts, order.place_of_rank});
  return {};
}

void place_by_file(EditedCommand& edited, const LauncherCommand& command, const std::string& file) {
  // From the last one on, so that the others keep their places: all stand before the program.
  for (auto words = command.node_words.rbegin(); words != command.node_words.rend(); ++words)
    edited.words.erase(edited.words.begin() + static_cast<std::ptrdiff_t>(words->first),
                       edited.words.begin() + static_cast<std::ptrdiff_t>(words->second));
  std::vector<std::string> options;
  switch (command.kind) {
    case LauncherKind::open_mpi:
    case LauncherKind::prrte:
      options = {"--hostfile", file, "--map-by", "seq"};
      // PRRTE binds each rank to a core of its own, and for this mapper to a part of the memory.
      if (command.kind == LauncherKind::prrte && command.binding.empty() && !command.oversubscribes)
        options.insert(options.end(), {"--bind-to", "core"});
      break;
    case LauncherKind::hydra:
      options = {"-machinefile", file};
      break;
    case LauncherKind::srun:
      edited.variables["SLURM_HOSTFILE"] = file;
      options = {"--distribution=arbitrary"};
      break;
  }
  edited.words.insert(edited.words.begin() + 1, options.begin(), options.end());
}

std::string binding_to_repeat(const LauncherCommand& command, const LaunchOrder& order) {
  if (command.kind != LauncherKind::open_mpi) return {};
  if (command.binding.empty()) return order.place_of_rank.size() <= 2 ? "core" : "socket";
  return command.binding == "none" ? "" : command.binding;
}

}  // namespace marshal::tools
