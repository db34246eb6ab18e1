#include "tools/launch/placed_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mapping/index.h"
#include "tools/order/launcher_files.h"

namespace marshal::tools {
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
