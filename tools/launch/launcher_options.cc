#include "tools/launch/launcher_options.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <vector>

#include "base/small_file.h"
#include "base/split_text.h"

namespace marshal::tools {
namespace {

struct OptionGroup {
  Meaning meaning;
  int words;
  std::string_view names;  // with blanks between them
};

// mpirun(1) of Open MPI 4.1, and `prterun --help` of PRRTE 3.0. An option that both have takes the same words.
constexpr OptionGroup open_mpi_options[] = {
    {Meaning::ranks, 1, "n np c"},
    {Meaning::hostfile, 1, "hostfile machinefile default-hostfile"},
    {Meaning::hosts, 1, "H host"},
    {Meaning::binding, 1, "bind-to"},
    {Meaning::oversubscribe, 0, "oversubscribe"},
    {Meaning::directory, 1, "wdir wd"},
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
    {Meaning::ranks, 1, "n np"},
    {Meaning::hostfile, 1, "f hostfile machinefile"},
    {Meaning::hosts, 1, "hosts host hostlist machine machines machinelist"},
    {Meaning::per_node, 1, "ppn perhost"},
    {Meaning::placement, 1, "bind-to map-by membind grr rankmap order-nodes"},
    {Meaning::placement, 0, "rr skip-launch-node"},
    {Meaning::elsewhere, 1, "configfile path"},
    {Meaning::starter, 1, "launcher bootstrap"},
    {Meaning::directory, 1, "wdir wd"},
    {Meaning::elsewhere, 0, "info version h help"},
    {Meaning::variable, 2, "genv env"},
    {Meaning::plain, 1,
     "outfile errfile genvlist envlist launcher-exec bootstrap-exec rmk topolib demux iface prepend-pattern "
     "outfile-pattern "
     "errfile-pattern nameserver localhost usize gpus-per-proc tmpdir"},
    {Meaning::plain, 0,
     "genvnone genvall envnone envall enable-x disable-x verbose v print-all-exitcodes l prepend-rank profile "
     "disable-auto-cleanup dac enable-auto-cleanup disable-hostname-propagation enable-hostname-propagation pmi-port "
     "pmi-aggregate no-pmi-aggregate"}};

// srun(1) of Slurm 22.05.
constexpr OptionGroup srun_options[] = {
    {Meaning::ranks, 1, "n ntasks"},
    {Meaning::node_count, 1, "N nodes"},
    {Meaning::cpus, 1, "c cpus-per-task"},
    {Meaning::directory, 1, "D chdir"},
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

}  // namespace

std::optional<LauncherOption> option_of(LauncherKind kind, std::string_view name) {
  for (const OptionGroup& group : launcher_row(kind).options) {
    const std::vector<std::string_view> names = split(group.names, ' ');
    if (std::find(names.begin(), names.end(), name) != names.end()) return LauncherOption{group.meaning, group.words};
  }
  return std::nullopt;
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

bool is_placement_parameter(LauncherKind kind, std::string_view name) {
  // For PRRTE to oversubscribe is a way of mapping: it binds no rank then.
  if (kind == LauncherKind::open_mpi && (name.ends_with("oversubscribe") || name.ends_with("verbose"))) return false;
  return name.starts_with("rmaps") || name.find("binding_policy") != name.npos || name.find("cpu_list") != name.npos ||
         name == "orte_rankfile" || name.ends_with("default_hostfile");
}

}  // namespace marshal::tools
