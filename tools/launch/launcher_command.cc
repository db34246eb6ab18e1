#include "tools/launch/launcher_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <span>

#include "base/small_file.h"
#include "base/split_text.h"
#include "tools/mpi_program.h"
#include "tools/preloading.h"

namespace marshal::tools {
namespace {

enum class Meaning : unsigned char {
  plain,
  value,  // kept in a field of the command
  nodes,  // the same, and it says which nodes, or how many ranks each takes
  oversubscribe,
  placement,  // says where ranks go
  parameter,  // an MCA parameter: its name, then its value
  variable,   // hydra's -env: NAME VALUE, or NAME=VALUE
  elsewhere,  // the programs, or how they start, stand in another place than this command
};

struct OptionGroup {
  Meaning meaning;
  int words;               // that follow; -1: none, but a value may follow behind an equals sign
  std::string_view names;  // without dashes, with blanks between them
  std::string LauncherCommand::*field = nullptr;
};

// mpirun(1) of Open MPI 4.1, and `prterun --help` of PRRTE 3.0. An option that both have takes the same words.
constexpr OptionGroup open_mpi_options[] = {
    {Meaning::value, 1, "n np c", &LauncherCommand::ranks},
    {Meaning::nodes, 1, "hostfile machinefile default-hostfile", &LauncherCommand::hostfile},
    {Meaning::nodes, 1, "H host", &LauncherCommand::hosts},
    {Meaning::value, 1, "bind-to", &LauncherCommand::binding},
    {Meaning::oversubscribe, 0, "oversubscribe"},
    {Meaning::value, 1, "wdir wd", &LauncherCommand::directory},
    {Meaning::parameter, 2, "mca gmca omca gomca prtemca gprtemca pmixmca gpmixmca"},
    {Meaning::placement, 1,
     "map-by rank-by ppr N npernode npersocket rf rankfile cpus-per-proc cpus-per-rank cpu-set cpu-list "
     "slot-list add-host add-hostfile"},
    {Meaning::placement, 0,
     "bynode byslot bycore bysocket pernode nolocal bind-to-core bind-to-socket bind-to-none use-hwthread-cpus novm "
     "display-diffable-map do-not-resolve"},
    {Meaning::elsewhere, 1, "app tune am hnp dvm-uri dvm debugger preload-files index-argv-by-rank path"},
    {Meaning::elsewhere, 0,
     "output-proctable s preload-binary debug d debug-devel tv dvm do-not-launch h help V version"},
    {Meaning::plain, 1,
     "x prefix pset stdin timeout report-uri report-pid report-events launch-agent max-restarts "
     "max-vm-size ompi-server output-filename personality xml-file xterm display output "
     "runtime-options keepalive dvm-master singleton forward-signals cf cartofile"},
    {Meaning::plain, 0,
     "allow-run-as-root nooversubscribe noprefix q quiet v verbose display-map display-devel-map "
     "display-allocation display-devel-allocation display-topo report-bindings tag-output timestamp-output "
     "merge-stderr-to-stdout xml enable-recovery disable-recovery continuous leave-session-attached "
     "debug-daemons debug-daemons-file set-cwd-to-session-dir show-progress use-regexp "
     "report-child-jobs-separately report-state-on-timeout get-stack-traces enable-instant-on-support "
     "fwd-mpirun-port daemonize set-sid"}};

// `mpiexec --help` of MPICH 4.0.
constexpr OptionGroup hydra_options[] = {
    {Meaning::value, 1, "n np", &LauncherCommand::ranks},
    {Meaning::nodes, 1, "f hostfile machinefile", &LauncherCommand::hostfile},
    {Meaning::nodes, 1, "hosts host hostlist machine machines machinelist", &LauncherCommand::hosts},
    {Meaning::nodes, 1, "ppn perhost", &LauncherCommand::per_node},
    {Meaning::placement, 1, "bind-to map-by membind grr rankmap order-nodes"},
    {Meaning::placement, 0, "rr skip-launch-node"},
    {Meaning::elsewhere, 1, "configfile path"},
    {Meaning::value, 1, "launcher bootstrap", &LauncherCommand::starter},
    {Meaning::value, 1, "wdir wd", &LauncherCommand::directory},
    {Meaning::elsewhere, 0, "info version h help"},
    {Meaning::variable, 2, "genv env"},
    {Meaning::plain, 1,
     "outfile errfile genvlist envlist launcher-exec bootstrap-exec rmk topolib demux iface prepend-pattern "
     "outfile-pattern errfile-pattern nameserver localhost usize gpus-per-proc tmpdir"},
    {Meaning::plain, 0,
     "genvnone genvall envnone envall enable-x disable-x verbose v print-all-exitcodes l prepend-rank profile "
     "disable-auto-cleanup dac enable-auto-cleanup disable-hostname-propagation enable-hostname-propagation pmi-port "
     "pmi-aggregate no-pmi-aggregate"}};

// srun(1) of Slurm 22.05.
constexpr OptionGroup srun_options[] = {
    {Meaning::value, 1, "n ntasks", &LauncherCommand::ranks},
    {Meaning::value, 1, "N nodes", &LauncherCommand::node_count},
    {Meaning::value, 1, "c cpus-per-task", &LauncherCommand::cpus},
    {Meaning::value, 1, "D chdir", &LauncherCommand::directory},
    {Meaning::placement, 1,
     "m distribution ntasks-per-node ntasks-per-socket ntasks-per-core ntasks-per-gpu w nodelist F nodefile x exclude "
     "r relative C constraint hint B extra-node-info jobid M clusters het-group tres-per-task "
     "cpus-per-gpu G gpus gpus-per-node gpus-per-socket gpus-per-task mem-per-cpu mem-per-gpu S core-spec thread-spec "
     "threads-per-core"},
    {Meaning::placement, 0, "spread-job use-min-nodes contiguous exact"},
    {Meaning::placement, -1, "exclusive"},  // the step waits for CPUs that others have
    {Meaning::elsewhere, -1, "bcast send-libs"},
    {Meaning::elsewhere, 1, "container"},
    {Meaning::elsewhere, 0, "multi-prog h help usage V version test-only pty"},
    {Meaning::plain, 1,
     "accel-bind acctg-freq bb bbf bcast-exclude cluster-constraint comment cores-per-socket cpu-bind "
     "cpu-freq deadline delay-boot epilog export gid gpu-bind gpu-freq "
     "gres gres-flags mail-type mail-user mcs-label mem mem-bind "
     "mincpus msg-timeout network open-mode power prefer priority profile prolog reservation "
     "signal slurmd-debug sockets-per-node switches task-epilog task-prolog time-min tmp "
     "uid wckey mpi A account J job-name L licenses T threads W wait b begin d dependency e error i "
     "input o output p partition q qos t time marshal"},
    {Meaning::plain, -1, "compress nice propagate resv-ports x11 I immediate K kill-on-bad-exit k no-kill"},
    {Meaning::plain, 0,
     "overlap quit-on-interrupt reboot E preserve-env H hold O overcommit Q quiet X disable-status Z no-allocate "
     "l label s oversubscribe u unbuffered v verbose"}};

struct LauncherRow {
  std::span<const OptionGroup> options;
  std::string_view parameters;  // what the names of variables begin with that stand for MCA parameters; with blanks
  std::string_view placement_variables;  // others; with blanks between them
};

// In the order of LauncherKind.
constexpr LauncherRow launcher_rows[] = {
    {open_mpi_options, "OMPI_MCA_", ""},
    {open_mpi_options, "PRTE_MCA_ OMPI_MCA_", ""},
    {hydra_options, "", "HYDRA_BINDING HYDRA_MAPPING HYDRA_MEMBIND"},
    {srun_options, "", "SLURM_HOSTFILE SLURM_DISTRIBUTION SLURM_NTASKS_PER_CORE SLURM_NTASKS_PER_SOCKET"}};

const LauncherRow& launcher_row(LauncherKind kind) { return launcher_rows[static_cast<std::size_t>(kind)]; }

// `name` without its dashes. Null for an option that the launcher does not have, or that Marshal does not know.
const OptionGroup* option_of(LauncherKind kind, std::string_view name) {
  for (const OptionGroup& group : launcher_row(kind).options) {
    const std::vector<std::string_view> names = split(group.names, ' ');
    if (std::find(names.begin(), names.end(), name) != names.end()) return &group;
  }
  return nullptr;
}

// True for an MCA parameter that places or binds ranks.
bool is_placement_parameter(LauncherKind kind, std::string_view name) {
  // For PRRTE to oversubscribe is a way of mapping: it binds no rank then.
  if (kind == LauncherKind::open_mpi && (name.ends_with("oversubscribe") || name.ends_with("verbose"))) return false;
  return name.starts_with("rmaps") || name.find("binding_policy") != name.npos || name.find("cpu_list") != name.npos ||
         name == "orte_rankfile" || name.ends_with("default_hostfile");
}

// One option as it stands on the command line.
struct Typed {
  std::string_view name;   // without dashes
  bool has_value = false;  // behind an equals sign, or directly behind a letter
  std::string_view value;
  const OptionGroup* known = nullptr;
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
      command_.directory.clear();
      while (at < size() && is_option(at) && (command_.words[at] != "--" || command_.kind == LauncherKind::hydra) &&
             command_.why_unknown.empty())
        at = read_one(at);
      if (!command_.why_unknown.empty()) return std::move(command_);
      if (at < size() && command_.words[at] == "--") ++at;
      if (at >= size()) {
        command_.why_unknown = "no program stands in it";
        return std::move(command_);
      }
      command_.programs.push_back({at, command_.directory});
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
    switch (typed.known->meaning) {
      case Meaning::nodes:
        if (!(command_.*typed.known->field).empty() && command_.placement.empty())
          command_.placement = command_.words[at] + ", given twice";
        command_.node_words.emplace_back(at, at + 1 + more);
        [[fallthrough]];
      case Meaning::value:
        command_.*typed.known->field = value;
        break;
      case Meaning::oversubscribe:
        command_.oversubscribes = true;
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

std::string placement_in_environment(LauncherKind kind) {
  const LauncherRow& launcher = launcher_row(kind);
  std::vector<std::string_view> names = split_at_blanks(launcher.placement_variables);
  names.push_back("MPICH_RANK_REORDER_METHOD");
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view name(*variable, std::string_view(*variable).find('='));
    if (std::find(names.begin(), names.end(), name) != names.end()) return std::string(name);
    for (const std::string_view prefix : split_at_blanks(launcher.parameters))
      if (name.starts_with(prefix) && is_placement_parameter(kind, name.substr(prefix.size())))
        return std::string(name);
  }
  return {};
}

std::string placement_in_files(LauncherKind kind, const std::string& launcher) {
  if (kind != LauncherKind::open_mpi && kind != LauncherKind::prrte) return {};
  const char* const variable = std::getenv("HOME");
  const std::string home = variable == nullptr ? "" : variable;
  std::error_code error;
  const auto prefix = std::filesystem::canonical(launcher, error).parent_path().parent_path();
  for (const std::string& path :
       {home + "/.openmpi/mca-params.conf", home + "/.prte/mca-params.conf",
        std::string("/etc/openmpi/openmpi-mca-params.conf"), (prefix / "etc/openmpi-mca-params.conf").string()}) {
    std::string text;
    if (!read_small_file(path, text).empty()) continue;
    for (const std::string_view line : split(text, '\n')) {
      const std::vector<std::string_view> words = split_at_blanks(line.substr(0, line.find_first_of("=#")));
      if (!words.empty() && is_placement_parameter(kind, words[0])) return std::string(words[0]) + " in " + path;
    }
  }
  return {};
}

}  // namespace marshal::tools
