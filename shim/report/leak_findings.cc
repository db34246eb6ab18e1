// The findings on what a program does not free, makes in vain, or makes again and again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/leaks.h"
#include "report/units.h"
#include "report/weighed_findings.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

// A leak costs no time that was measured: it comes behind all that does.
constexpr double weight_of_leak = 0.005;

void add_not_freed(const Record& record, std::vector<Weighed>& all) {
  for (const ObjectsOfPlace& one : not_freed(record)) {
    const std::string objects(objects_of(one.site->call));
    const bool has_subject = objects == "communicators" || objects == "datatypes";
    Finding finding{Verdict::act, has_subject ? objects : "objects", "", "", ""};
    finding.what = fmt::format("{}{} made by {}{} are not freed: {} in a process at the end.",
                               static_cast<char>(objects[0] - 'a' + 'A'), objects.substr(1), one.site->call,
                               at(*one.symbol, *one.site), count_text(one.alive.max));
    finding.evidence = fmt::format("Counted: a process made {}", count_text(one.made.max));
    finding.evidence += one.most_alive.samples == 0
                            ? "."
                            : fmt::format(" there, and had at most {} at once.", count_text(one.most_alive.max));
    finding.action = fmt::format("Call {} when one is no longer needed.", call_that_frees(one.site->call));
    if (const CommunicatorSite* made = record.communicators.find(*one.site); made != nullptr) {
      if (made->host.available())
        finding.evidence +=
            fmt::format(" They took {} of the MPI library's memory.", bytes_text(made->host.per_process.max));
      if (const std::string better = better_way(record, *one.site, *made); !better.empty())
        finding.action = better + " " + finding.action;
    }
    all.push_back({std::move(finding), weight_of_leak});
  }
}

// Communicators of which there are many, and better none. (Those that take much time: communicator_findings.cc.)
void add_made_in_vain(const Record& record, std::vector<Weighed>& all) {
  constexpr std::uint64_t many = 100;
  for (const auto& [key, site] :
       record.communicators.heaviest_first([](const CommunicatorSite& s) { return s.made.max; })) {
    if (site->made.max < many) break;
    const double ns = std::min(real(site->creation_ns), ns_in_call(record, key->call).value_or(HUGE_VAL));
    if (site->alive.max >= many || part_of_run(ns, record) >= much_creation) continue;
    std::string better = better_way(record, *key, *site);
    if (better.empty()) continue;
    Finding finding{Verdict::act, "communicators", "", "", std::move(better)};
    finding.what = fmt::format("A process makes {} by {}{}.", counted(site->made.max, "communicator"), key->call,
                               at(site->symbol, *key));
    finding.evidence = fmt::format("Measured: {} of all processes.", time_text(ns));
    finding.most_seconds = mean_seconds(ns, record);
    all.push_back({std::move(finding), part_of_run(ns, record), key->call + at(site->symbol, *key)});
  }
}

// Types that live briefly, where making them takes a part of the run.
void add_types_in_loops(const Record& record, std::vector<Weighed>& all) {
  double ns = 0, made = 0;
  record.calls.each([&](const std::string& name, const CallCount& call) {
    if (name.starts_with("MPI_Type_")) ns += real(call.time_ns.of.sum);
  });
  const ObjectsOfPlace* heaviest = nullptr;
  const std::vector<ObjectsOfPlace> places = objects_by_place(record);
  for (const ObjectsOfPlace& one : places) {
    if (one.site->call != "MPI_Type_commit") continue;
    made += real(one.made.sum);
    if (heaviest == nullptr || one.made.sum > heaviest->made.sum) heaviest = &one;
  }
  constexpr std::uint64_t many = 1000;
  constexpr double much = 0.01, of_one_alive = 10;
  if (heaviest == nullptr || heaviest->made.max < many || run_ns(record) <= 0) return;
  if (real(heaviest->made.sum) < of_one_alive * real(heaviest->most_alive.sum)) return;
  const double of_place = ns * real(heaviest->made.sum) / made, part = part_of_run(of_place, record);
  if (part < much) return;
  Finding finding{Verdict::act, "datatypes", "", "", "Commit each before the loop, and free it behind the loop."};
  finding.what = fmt::format("{} of the run goes into making datatypes that MPI_Type_commit{} commits again and again.",
                             percent_text(part), at(*heaviest->symbol, *heaviest->site));
  finding.evidence =
      fmt::format("Measured: a process commits {} there, at most {} at once; {} of all processes in MPI_Type_ calls.",
                  count_text(heaviest->made.max), count_text(heaviest->most_alive.max), time_text(ns));
  finding.most_seconds = mean_seconds(of_place, record);
  all.push_back({std::move(finding), part, heaviest->site->call + at(*heaviest->symbol, *heaviest->site)});
}

}  // namespace

void add_leak_findings(const Record& record, std::vector<Weighed>& all) {
  add_not_freed(record, all);
  add_made_in_vain(record, all);
  add_types_in_loops(record, all);
}

}  // namespace marshal::report
