#include "tools/launch/launcher_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "tools/mpi_program.h"
#include "tools/program_file.h"

namespace marshal::tools {
namespace {

// One option as it stands on the command line.
struct Typed {
  std::string_view name;   // without dashes
  bool has_value = false;  // behind an equals sign, or directly behind a letter
  std::string_view value;
  std::optional<LauncherOption> known;
};

// srun takes options as getopt_long does: letters in a row, and the value of the last one behind it.
Typed read_letters(std::string_view word) {
  Typed typed;
  for (std::size_t i = 1; i < word.size(); ++i) {
    typed.name = word.substr(i, 1);
    typed.known = option_of(LauncherKind::srun, typed.name);
    if (!typed.known) return typed;
    if (typed.known->words == 0) continue;
    typed.has_value = i + 1 < word.size();
    typed.value = word.substr(i + 1);
    return typed;
  }
  return typed;
}

Typed read_option(LauncherKind kind, std::string_view word) {
  if (kind == LauncherKind::srun && !word.starts_with("--")) return read_letters(word);
  Typed typed;
  const std::size_t equals = kind == LauncherKind::open_mpi ? word.npos : word.find('=');
  typed.name = word.substr(0, equals);
  typed.name.remove_prefix(std::min(typed.name.find_first_not_of('-'), typed.name.size()));
  typed.has_value = equals != word.npos;
  if (typed.has_value) typed.value = word.substr(equals + 1);
  typed.known = option_of(kind, typed.name);
  return typed;
}

class CommandReader {
 public:
  CommandReader(LauncherKind kind, std::vector<std::string> words) {
    command_.kind = kind;
    command_.words = std::move(words);
    const char* const tasks = std::getenv("SLURM_NTASKS");
    if (kind == LauncherKind::srun && tasks != nullptr) command_.ranks = tasks;
  }

  LauncherCommand read() {
    std::size_t at = 1;
    do {
      directory_.clear();
      while (at < size() && is_option(at) && (command_.words[at] != "--" || command_.kind == LauncherKind::hydra) &&
             command_.why_unknown.empty())
        at = read_one(at);
      if (!command_.why_unknown.empty()) return std::move(command_);
      if (at < size() && command_.words[at] == "--") ++at;
      if (at >= size()) {
        command_.why_unknown = "no program stands in it";
        return std::move(command_);
      }
      command_.programs.push_back({at, directory_});
      while (at < size() && command_.words[at] != ":") ++at;
      if (command_.programs.size() == 1) command_.end_of_program = at;
    } while (at++ < size());
    return std::move(command_);
  }

 private:
  std::size_t size() const { return command_.words.size(); }
  bool is_option(std::size_t at) const { return command_.words[at].size() > 1 && command_.words[at][0] == '-'; }

  std::size_t read_one(std::size_t at) {
    const std::string& word = command_.words[at];
    const Typed typed = read_option(command_.kind, word);
    if (!typed.known) {
      command_.why_unknown = fmt::format("option {} is not known to Marshal", word);
      return at;
    }
    auto more = static_cast<std::size_t>(typed.has_value ? 0 : std::max(0, typed.known->words));
    if (typed.known->meaning == Meaning::variable && at + 1 < size() && command_.words[at + 1].find('=') != word.npos)
      more = 1;
    if (at + more >= size()) {
      command_.why_unknown = fmt::format("option {} has no value", word);
      return at;
    }
    take(typed, at, more);
    return at + 1 + more;
  }

  void take(const Typed& typed, std::size_t at, std::size_t more) {
    const std::string value(typed.has_value || more == 0 ? typed.value : std::string_view(command_.words[at + 1]));
    const auto named = [&](std::string& field) {
      if (!field.empty() && command_.placement.empty()) command_.placement = command_.words[at] + ", given twice";
      field = value;
    };
    switch (typed.known->meaning) {
      case Meaning::ranks:
        command_.ranks = value;
        break;
      case Meaning::per_node:
        named(command_.per_node);
        command_.node_words.emplace_back(at, at + 1 + more);
        break;
      case Meaning::hostfile:
      case Meaning::hosts:
        named(typed.known->meaning == Meaning::hosts ? command_.hosts : command_.hostfile);
        command_.node_words.emplace_back(at, at + 1 + more);
        break;
      case Meaning::binding:
        command_.binding = value;
        break;
      case Meaning::oversubscribe:
        command_.oversubscribes = true;
        break;
      case Meaning::node_count:
        command_.node_count = value;
        break;
      case Meaning::cpus:
        command_.cpus = value;
        break;
      case Meaning::directory:
        directory_ = value;
        break;
      case Meaning::starter:
        command_.starter = value;
        break;
      case Meaning::parameter:
        if (!is_placement_parameter(command_.kind, value)) break;
        [[fallthrough]];
      case Meaning::placement:
        if (command_.placement.empty()) command_.placement = command_.words[at];
        break;
      case Meaning::elsewhere:
        command_.why_unknown = fmt::format("option {} starts the programs in another way", command_.words[at]);
        break;
      case Meaning::variable:
      case Meaning::plain:
        break;
    }
  }

  LauncherCommand command_;
  std::string directory_;
};

}  // namespace

LauncherCommand read_launcher_command(LauncherKind kind, std::vector<std::string> words) {
  return CommandReader(kind, std::move(words)).read();
}

std::optional<LauncherKind> kind_by_version(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  if (first.starts_with("slurm")) return LauncherKind::srun;  // "slurm-wlm" on Debian
  if (text.find("HYDRA build details") != text.npos) return LauncherKind::hydra;
  if (first.find("(PRRTE)") != first.npos || first.find("(Open MPI) 5") != first.npos ||
      first.find("(Open MPI) 6") != first.npos)
    return LauncherKind::prrte;
  if (first.find("(Open MPI)") != first.npos || first.find("(OpenRTE)") != first.npos) return LauncherKind::open_mpi;
  return std::nullopt;
}

std::optional<LauncherKind> kind_of_launcher(const std::string& launcher, std::string& why_not) {
  const std::string_view name = std::string_view(launcher).substr(launcher.find_last_of('/') + 1);
  why_not =
      launcher + " is no launcher that Marshal knows (mpirun and mpiexec of Open MPI, of PRRTE and of MPICH; srun)";
  constexpr std::string_view known[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun"};
  const auto is_of = [&](std::string_view word) { return name == word || name.starts_with(std::string(word) + "."); };
  if (std::none_of(std::begin(known), std::end(known), is_of)) return std::nullopt;
  if (!is_binary(find_program_file(launcher).path)) {
    why_not = launcher + " is a script, which Marshal does not ask for its version: it might start the job";
    return std::nullopt;
  }
  return kind_by_version(run_to_end({launcher, "--version"}, Streams::captured_quietly).out);
}

}  // namespace marshal::tools
