// The findings on processes and threads that share cores.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "findings/findings.h"
#include "record/units.h"

namespace marshal::report {
namespace {

std::string processes_text(std::uint64_t count) {
  return count == 1 ? "1 process" : fmt::format("{} processes", count);
}

}  // namespace

void add_binding_findings(const Record& record, std::vector<Weighed>& all) {
  const auto add = [&](const CoreUse& use, std::string what, std::string action) {
    const std::uint64_t free = use.example.free;
    if (free != 0) what += fmt::format(", while {} of its cores {} free", free, free == 1 ? "is" : "are");
    what += use.nodes == 1 ? "." : fmt::format("; so it is on {} nodes.", use.nodes);
    const double ns = real(use.waited_ns) / real(std::max<std::uint64_t>(use.processes, 1));
    // The time is counted from MPI_Init, whatever the program leaves out of its times.
    const double part = std::min(1.0, ns / std::max(record.own.wall_ns.mean(), 1.0));
    all.push_back(
        {{Finding::Verdict::act, "binding", std::move(what),
          fmt::format("Measured: {} waited {} for a core, {} of the run.",
                      use.processes == 1 ? "it" : "the mean of these processes", time_text(ns), percent_text(part)),
          std::move(action), ns * 1e-9},
         part});
  };
  const auto& [shared, threads, foreign, too_many] = record.cores;
  if (const CoreUse::Node& node = shared.example; shared.nodes != 0)
    add(shared, fmt::format("{} processes share {} of {}", node.processes, counted(node.cores, "core"), node.host),
        fmt::format("Bound by {}, {}.", node.mend,
                    node.has_core_for_each() ? "each has a core of its own" : "they use those, too"));
  if (const CoreUse::Node& node = threads.example; threads.nodes != 0) {
    const std::uint64_t each = node.cores / std::max<std::uint64_t>(node.processes, 1);
    std::string action =
        fmt::format("For instance OMP_NUM_THREADS={} starts no more threads than there are cores", each);
    if (each == 0) action = "Start fewer processes on a node, with one thread each: they are more than its cores";
    if (!node.mend.empty()) action += fmt::format("; {} gives each process cores for all of them", node.mend);
    add(threads,
        fmt::format("{} of {} {} {} busy threads{} on {}", processes_text(node.processes), node.host,
                    node.processes == 1 ? "has" : "have up to", node.threads, node.processes == 1 ? "" : " each",
                    counted(node.cores, "core")),
        action + '.');
  }
  if (const CoreUse::Node& node = foreign.example; foreign.nodes != 0)
    add(foreign,
        fmt::format("Other programs run on {} that {} of {} {} bound to", counted(node.cores, "core"),
                    processes_text(node.processes), node.host, node.processes == 1 ? "is" : "are"),
        fmt::format("A second launcher on the node begins with its first core, too, or the program starts processes: "
                    "give each cores "
                    "of its own{}.",
                    node.mend.empty() ? "" : fmt::format(", or leave the cores to the system by {}", node.mend)));
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
