// The findings on processes and threads that share cores.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "findings/findings.h"
#include "record/units.h"

namespace marshal::report {
namespace {

// ", and so it is on 2 other nodes"
std::string other_nodes(const CoreUse& use) {
  if (use.nodes < 2) return {};
  return use.nodes == 2 ? ", and so it is on another node"
                        : fmt::format(", and so it is on {} other nodes", use.nodes - 1);
}

std::string while_free(const CoreUse::Node& node) {
  return fmt::format(", while {} of its cores {} free", node.free, node.free == 1 ? "is" : "are");
}

std::string processes_text(std::uint64_t count) {
  return count == 1 ? "1 process" : fmt::format("{} processes", count);
}

std::string_view have(std::uint64_t count) { return count == 1 ? "has" : "have"; }

void add(std::string what, const CoreUse& use, std::string action, const Record& record, std::vector<Weighed>& all) {
  const double mean_ns = real(use.waited_ns) / real(std::max<std::uint64_t>(use.processes, 1));
  const double run = mean_seconds(run_ns(record), record), part = run > 0 ? std::min(1.0, mean_ns * 1e-9 / run) : 0;
  std::string evidence = fmt::format("Measured: {} waited {} for a core",
                                     use.processes == 1 ? "it" : "the mean of these processes", time_text(mean_ns));
  evidence += run > 0 ? fmt::format(", {} of the run.", percent_text(part)) : ".";
  all.push_back(
      {{Finding::Verdict::act, "binding", std::move(what), std::move(evidence), std::move(action), mean_ns * 1e-9},
       part});
}

}  // namespace

void add_binding_findings(const Record& record, std::vector<Weighed>& all) {
  const CoreUses& cores = record.cores;
  if (const CoreUse& use = cores.shared; use.nodes != 0) {
    const CoreUse::Node& node = use.example;
    add(fmt::format("{} processes share {} of {}{}{}.", node.processes, counted(node.cores, "core"), node.host,
                    while_free(node), other_nodes(use)),
        use, fmt::format("Bound by {}, each has a core of its own.", node.mend), record, all);
  }
  if (const CoreUse& use = cores.threads; use.nodes != 0) {
    const CoreUse::Node& node = use.example;
    const std::uint64_t fit = std::max<std::uint64_t>(1, node.cores / std::max<std::uint64_t>(1, node.processes));
    add(fmt::format("{} of {} {} {} busy threads on {}{}{}.", processes_text(node.processes), node.host,
                    have(node.processes), node.threads, counted(node.cores, "core"),
                    node.free == 0 ? "" : while_free(node), other_nodes(use)),
        use,
        fmt::format(
            "OMP_NUM_THREADS={} starts no more threads than there are cores{}.", fit,
            node.mend.empty() ? "" : fmt::format(", and {} gives each process cores for all of them", node.mend)),
        record, all);
  }
  if (const CoreUse& use = cores.foreign; use.nodes != 0) {
    const CoreUse::Node& node = use.example;
    add(fmt::format("Programs outside this job run on {} that {} of {} {} bound to{}{}.", counted(node.cores, "core"),
                    processes_text(node.processes), node.host, node.processes == 1 ? "is" : "are", while_free(node),
                    other_nodes(use)),
        use,
        fmt::format("Two launchers on one node both begin with its first core: give each of them cores of its own{}.",
                    node.mend.empty() ? "" : fmt::format(", or leave the cores to the system by {}", node.mend)),
        record, all);
  }
}

std::string too_many_text(const Record& record) {
  const CoreUse& use = record.cores.too_many;
  if (use.nodes == 0) return {};
  const CoreUse::Node& node = use.example;
  std::string text = fmt::format("{} processes share {}", node.processes, counted(node.cores, "core"));
  if (!node.limit.empty())
    text += fmt::format(", as {} allows", node.limit == "Slurm" ? node.limit : "the " + node.limit);
  if (record.job.nodes > 1) text += fmt::format(", on {} of {} nodes", use.nodes, record.job.nodes);
  return text;
}

}  // namespace marshal::report
