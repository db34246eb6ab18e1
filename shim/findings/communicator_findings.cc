// The findings on the communicators of the run.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "findings/findings.h"
#include "record/units.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

std::string memory_of_a_process(const Memory& memory, const Record& record) {
  if (!memory.available()) return "not available";
  const double processes = real(std::max<std::uint64_t>(1, record.ranks.count()));
  return (memory.at_most != 0 ? "at most " : "") + bytes_text(real(memory.per_process.sum) / processes);
}

// A window and a file have communicators of their own inside the MPI library, which are counted at the call that makes
// the window or the file.
std::string made_by(std::string_view call) {
  std::string_view things = objects_of(call);
  things.remove_suffix(1);  // "windows" -> "window"
  return std::string(things);
}

// How many were made. Where the processes of some are not known, nobody can count each once.
std::string made_text(const CommunicatorSite& site, const std::string& thing) {
  return site.not_known == 0 ? counted(site.communicators, thing)
                             : fmt::format("{} in {}s", counted(site.made.sum, "membership"), thing);
}

// The advice where making them takes long.
std::string fewer(const CommunicatorSite& site) {
  const bool are_kept = site.most_alive.samples != 0 && 2 * site.most_alive.max > site.made.max;
  if (!are_kept) return "Change the program to make them once and keep them.";
  return fmt::format(
      "A process keeps {} of them side by side already: make fewer, one for all that have the same processes.",
      count_text(site.most_alive.max));
}

}  // namespace

std::string all_made_text(const Record& record) {
  std::map<std::string, CommunicatorSite> made;
  record.communicators.each(
      [&](const CallSite& key, const CommunicatorSite& site) { made[made_by(key.call)].merge(site); });
  if (record.communicators.overflowed()) made["communicator"].merge(record.communicators.others());
  std::string text;
  for (const char* const name : {"communicator", "window", "file"})
    if (made[name].made.sum != 0) text += (text.empty() ? "" : ", ") + made_text(made[name], name);
  return text;
}

void add_communicator_findings(const Record& record, std::vector<Weighed>& all) {
  for (const auto& [key, site] :
       record.communicators.heaviest_first([](const CommunicatorSite& s) { return s.creation_ns; })) {
    if (!is_much_creation(*key, *site, record)) continue;
    const double ns = creation_ns(*key, *site, record), part = part_of_run(ns, record);
    const std::string where = key->call + at(site->symbol, *key), better = better_way(record, *key, *site);
    const std::string thing = made_by(key->call);
    // `made` counts those that were left out of the times, too.
    const double of_all_made = record.times.paused_ns.sum == 0 ? ns : real(site->creation_ns);
    all.push_back({{Verdict::act, "communicators",
                    fmt::format("{} of the run goes into making {}s by {}.", percent_text(part), thing, where),
                    fmt::format("Measured: {}, {} of all processes, {} a call.", made_text(*site, thing), time_text(ns),
                                time_text(of_all_made / real(site->made.sum))),
                    better.empty() ? fewer(*site) : better, mean_seconds(ns, record)},
                   part});
  }
  if (std::ranges::any_of(all, [](const Weighed& one) { return one.finding.subject == "communicators"; })) return;
  const CommunicatorSite sum = record.communicators.sum();
  Finding finding{Verdict::nothing, "communicators", "", "", ""};
  finding.what = sum.made.sum == 0 ? "The program makes no communicator of its own."
                                   : fmt::format("{} made; no process made more than {} at one place.",
                                                 all_made_text(record), count_text(sum.made.max));
  finding.evidence =
      sum.made.sum == 0
          ? "Calls that make one: 0."
          : fmt::format(
                "Measured: {} of all processes{}, waiting for each other included; memory of {}a process: MPI library "
                "{}, Marshal {}.",
                time_text(sum.creation_ns), of_the_run(real(sum.creation_ns), record),
                sum.not_known == 0 ? "" : "those whose processes are known, in ", memory_of_a_process(sum.host, record),
                memory_of_a_process(sum.marshal, record));
  finding.action = fmt::format("Nothing to gain at {} ranks.", count_text(record.job.ranks));
  if (sum.not_known == 0 && sum.host.can_be_projected() && record.job.ranks != 0 &&
      record.job.project_ranks > record.job.ranks)
    finding.action += fmt::format(
        " Extrapolated to {} ranks, a process would need {}{}.", ranks_text(record.job.project_ranks),
        sum.host.at_most != 0 ? "at most " : "",
        bytes_text(sum.host.projected(record.job.ranks, record.job.project_ranks) * real(sum.host.per_process.samples) /
                   real(std::max<std::uint64_t>(1, record.ranks.count()))));
  all.push_back({std::move(finding), 0});
}

}  // namespace marshal::report
