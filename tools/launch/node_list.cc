#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "base/small_file.h"
#include "base/split_text.h"
#include "tools/launch/launch_order.h"
#include "topology/hostlist.h"

namespace marshal::tools {
namespace {

std::int32_t count_in(std::string_view text, std::string_view what) {
  std::int32_t number = 0;
  if (!read_number(text, number) || number < 1)
    throw std::invalid_argument(fmt::format("{}: '{}' is no number from 1", what, text));
  return number;
}

std::string text_of_file(const std::string& path) {
  std::string text;
  // Not a pipe: the launcher is to read it.
  if (const std::string why = read_small_file(path, text); !why.empty())
    throw std::invalid_argument(fmt::format("{}: {}", path, why));
  return text;
}

const char* slurm_nodes() {
  const char* const list = std::getenv("SLURM_JOB_NODELIST");
  return list != nullptr ? list : std::getenv("SLURM_NODELIST");
}

std::vector<Host> slurm_hosts(const char* counts_variable) {
  const char* const counts_text = std::getenv(counts_variable);
  if (counts_text == nullptr) throw std::invalid_argument(fmt::format("{} is not set", counts_variable));
  const std::vector<std::string> names = topology::expand_hostlist(slurm_nodes());
  const std::vector<std::int32_t> counts = expand_counts(counts_text);
  if (counts.size() != names.size())
    throw std::invalid_argument(fmt::format("{} is not of the job's {} nodes", counts_variable, names.size()));
  std::vector<Host> hosts;
  for (std::size_t i = 0; i < names.size(); ++i) hosts.push_back({names[i], counts[i]});
  return hosts;
}

// Lines "host slots queue processors".
std::vector<Host> grid_engine_hosts(const std::string& path) {
  std::string text;
  const std::string file = text_of_file(path);
  for (const std::string_view line : split(file, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    if (words.size() >= 2) text += fmt::format("{} slots={}\n", words[0], words[1]);
  }
  return parse_hostfile(text, path);
}

std::vector<Host> hosts_in_words(std::string text, char separator, const std::string& name) {
  std::replace(text.begin(), text.end(), separator, '\n');
  return parse_hostfile(text, name);
}

std::vector<Host> hosts_of_batch_system() {
  if (slurm_nodes() != nullptr)
    return slurm_hosts(std::getenv("SLURM_TASKS_PER_NODE") != nullptr ? "SLURM_TASKS_PER_NODE"
                                                                      : "SLURM_JOB_CPUS_PER_NODE");
  for (const char* const variable : {"PBS_NODEFILE", "LSB_DJOB_HOSTFILE"})
    if (const char* const file = std::getenv(variable)) return parse_hostfile(text_of_file(file), file);
  if (const char* const hosts = std::getenv("LSB_HOSTS")) return hosts_in_words(hosts, ' ', "LSB_HOSTS");
  if (const char* const file = std::getenv("PE_HOSTFILE")) return grid_engine_hosts(file);
  throw std::invalid_argument("no option names them, and no batch system");
}

// A host without slots has as many as it has cores, which only the host knows; inside a job, as many as it has there.
void complete_places(NodeList& nodes) {
  std::vector<Host> known;
  if (slurm_nodes() != nullptr && std::getenv("SLURM_TASKS_PER_NODE") != nullptr)
    known = slurm_hosts("SLURM_TASKS_PER_NODE");
  for (Host& host : nodes.hosts) {
    if (host.is_counted) continue;
    const auto same =
        std::find_if(known.begin(), known.end(), [&](const Host& other) { return other.name == host.name; });
    if (same != known.end())
      host.places = same->places;
    else
      nodes.has_places = false;
  }
}

NodeList nodes_for_open_mpi(const LauncherCommand& command) {
  if (!command.hosts.empty() && !command.hostfile.empty())
    throw std::invalid_argument("both --host and --hostfile name them");
  NodeList nodes;
  if (!command.hosts.empty()) {
    nodes.hosts = hosts_in_words(command.hosts, ',', "--host");
  } else if (command.hostfile.empty()) {
    nodes.hosts = hosts_of_batch_system();
  } else {
    nodes.hosts = parse_hostfile(text_of_file(command.hostfile), command.hostfile);
    complete_places(nodes);
  }
  // PRRTE fills cores, not places, and with --oversubscribe the first node alone.
  nodes.may_differ = command.kind == LauncherKind::prrte;
  return nodes;
}

NodeList nodes_for_hydra(const LauncherCommand& command) {
  NodeList nodes;
  if (!command.hosts.empty() && !command.hostfile.empty())
    throw std::invalid_argument("both -hosts and a file of hosts name them");
  if (!command.hosts.empty())
    nodes.hosts = hosts_in_words(command.hosts, ',', "-hosts");
  else if (const char* const file =
               command.hostfile.empty() ? std::getenv("HYDRA_HOST_FILE") : command.hostfile.c_str())
    nodes.hosts = parse_hostfile(text_of_file(file), file);
  else
    nodes.hosts = hosts_of_batch_system();
  for (const Host& host : nodes.hosts)
    if (host.returns) throw std::invalid_argument("their list has an order of its own");
  if (!command.per_node.empty())
    for (Host& host : nodes.hosts) host.places = count_in(command.per_node, "-ppn");
  nodes.cycles = true;
  return nodes;
}

// From 22.05 on srun does not take SLURM_CPUS_PER_TASK.
std::int32_t cpus_of_rank(const LauncherCommand& command) {
  if (!command.cpus.empty()) return count_in(command.cpus, "--cpus-per-task");
  if (const char* const cpus = std::getenv("SRUN_CPUS_PER_TASK")) return count_in(cpus, "SRUN_CPUS_PER_TASK");
  if (const char* const cpus = std::getenv("SLURM_CPUS_PER_TASK");
      cpus != nullptr && count_in(cpus, "SLURM_CPUS_PER_TASK") != 1)
    throw std::invalid_argument("how many CPUs srun gives a rank is not known: SLURM_CPUS_PER_TASK is set, and no -c");
  return 1;
}

NodeList nodes_for_srun(const LauncherCommand& command) {
  if (slurm_nodes() == nullptr) throw std::invalid_argument("srun makes the allocation itself");
  std::vector<Host> hosts = slurm_hosts("SLURM_JOB_CPUS_PER_NODE");
  const auto all = static_cast<std::int32_t>(hosts.size());
  if (!command.node_count.empty() && count_in(command.node_count, "--nodes") != all)
    throw std::invalid_argument("srun chooses some of the job's nodes");
  const std::int32_t ranks = count_in(command.ranks, "--ntasks"), of_rank = cpus_of_rank(command);
  if (ranks < all) throw std::invalid_argument("there are fewer ranks than nodes");
  if (const char* const per_node = std::getenv("SLURM_NTASKS_PER_NODE")) {
    const std::int32_t places = count_in(per_node, "SLURM_NTASKS_PER_NODE");
    if (places * all != ranks) throw std::invalid_argument("SLURM_NTASKS_PER_NODE makes another number of ranks");
    for (Host& host : hosts) host.places = places;
    return {.hosts = std::move(hosts)};
  }
  std::vector<std::int32_t> cpus;
  for (const Host& host : hosts) cpus.push_back(std::max(1, host.places / of_rank));
  const std::vector<std::int32_t> of_node = ranks_by_slurm(cpus, ranks);
  for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i].places = of_node[i];
  NodeList nodes{.hosts = std::move(hosts)};
  nodes.may_differ = true;  // Slurm can be told to deal ranks out otherwise
  return nodes;
}

}  // namespace

std::vector<std::int32_t> expand_counts(std::string_view text) {
  std::vector<std::int32_t> counts;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t bracket = part.find("(x");
    const std::int32_t count = count_in(part.substr(0, bracket), "counts of Slurm");
    std::int32_t times = 1;
    if (bracket != part.npos) {
      if (!part.ends_with(')')) throw std::invalid_argument("counts of Slurm: a bracket stays open");
      times = count_in(part.substr(bracket + 2, part.size() - bracket - 3), "counts of Slurm");
    }
    if (times > static_cast<std::int32_t>(topology::most_hosts))
      throw std::invalid_argument("counts of Slurm: too many");
    counts.insert(counts.end(), static_cast<std::size_t>(times), count);
  }
  return counts;
}

std::vector<std::int32_t> ranks_by_slurm(const std::vector<std::int32_t>& cpus, std::int32_t ranks) {
  std::vector<std::int32_t> of_node(cpus.size());
  bool is_over = cpus.empty();
  for (std::int32_t round = 0, left = ranks; left > 0 && !cpus.empty(); ++round) {
    bool has_room = false;
    for (std::size_t node = 0; node < cpus.size() && left > 0; ++node) {
      if (round >= cpus[node] && !is_over) continue;
      ++of_node[node];
      --left;
      has_room |= round + 1 < cpus[node];
    }
    is_over |= !has_room;
  }
  return of_node;
}

NodeList nodes_of(const LauncherCommand& command) {
  try {
    NodeList nodes = command.kind == LauncherKind::hydra  ? nodes_for_hydra(command)
                     : command.kind == LauncherKind::srun ? nodes_for_srun(command)
                                                          : nodes_for_open_mpi(command);
    // The file for the launcher would lack it.
    for (const Host& host : nodes.hosts)
      if (host.has_more)
        throw std::invalid_argument(fmt::format("their list says more of {} than its ranks", host.name));
    return nodes;
  } catch (const std::invalid_argument& error) {
    NodeList none;
    none.why_not = error.what();
    return none;
  }
}

}  // namespace marshal::tools
