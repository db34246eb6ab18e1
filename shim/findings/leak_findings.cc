// The findings on what a program does not free, makes in vain, or makes again and again.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "findings/findings.h"
#include "record/units.h"

namespace marshal::report {

std::vector<ObjectsOfPlace> objects_by_place(const Record& record) {
  std::vector<ObjectsOfPlace> all;
  const auto add = [&](const CallSite& site, const auto& row) {
    all.push_back({&site, &row.symbol, row.made, row.alive, row.most_alive});
  };
  record.communicators.each(add);
  record.objects.each(add);
  std::ranges::sort(all, [](const ObjectsOfPlace& a, const ObjectsOfPlace& b) {
    if (a.alive.max != b.alive.max) return a.alive.max > b.alive.max;
    if (a.most_alive.max != b.most_alive.max) return a.most_alive.max > b.most_alive.max;
    return *a.site < *b.site;
  });
  return all;
}

std::uint64_t many_of(std::string_view call) {
  const std::string_view objects = objects_of(call);
  const bool is_limited = objects == "communicators" || objects == "windows" || objects == "files";
  return is_limited ? 100 : 1000;
}

std::vector<ObjectsOfPlace> not_freed(const Record& record) {
  std::vector<ObjectsOfPlace> all = objects_by_place(record);
  std::erase_if(all, [](const ObjectsOfPlace& one) { return one.alive.max < many_of(one.site->call); });
  return all;
}

bool is_near_limit(const Record& record) {
  const std::uint64_t limit = record.job.communicator_limit;
  return limit != 0 && record.communicators_at_once.of.max >= limit - limit / 4;
}

std::string better_way(const Record& record, const CallSite& site, const CommunicatorSite& made) {
  // Marshal did not see what was done while MPI_Pcontrol paused the times.
  if (made.never_used == made.made.sum && record.times.paused_ns.max == 0)
    return "No process was seen to send or receive on them, or to make a collective call. If nothing else needs them, "
           "leave them out: attributes, error handlers and questions for ranks do not count as use.";
  if (site.call == "MPI_Comm_split" && made.like_parent == made.made.sum)
    return "In this run all had the processes of the communicator that was split, in its order: MPI_Comm_dup makes one "
           "of the same processes.";
  if (2 * made.nested_duplicates >= made.made.sum)
    return "Most are duplicates of duplicates that were made there: duplicate once, and pass that one on.";
  return {};
}

namespace {

using Verdict = Finding::Verdict;

// A leak costs no time that was measured: it comes behind all that does.
constexpr double weight_of_leak = 0.005;

void add_not_freed(const Record& record, std::vector<Weighed>& all) {
  for (const ObjectsOfPlace& one : not_freed(record)) {
    const std::string objects(objects_of(one.site->call));
    const bool has_subject = objects == "communicators" || objects == "datatypes";
    Finding finding{Verdict::act, has_subject ? objects : "objects", "", "", ""};
    finding.what = fmt::format("{}{} made by {}{} are not freed: {} in a process when MPI_Finalize began.",
                               static_cast<char>(objects[0] - 'a' + 'A'), objects.substr(1), one.site->call,
                               at(*one.symbol, *one.site), count_text(one.alive.max));
    finding.evidence = fmt::format("Counted: a process made {}", count_text(one.made.max));
    finding.evidence += one.most_alive.samples == 0
                            ? "."
                            : fmt::format(" there, and had at most {} at once.", count_text(one.most_alive.max));
    finding.action = fmt::format(
        "Call {} when one is no longer needed. Those that a callback of MPI_COMM_SELF frees inside MPI_Finalize are no "
        "leak.",
        call_that_frees(one.site->call));
    if (const CommunicatorSite* made = record.communicators.find(*one.site); made != nullptr) {
      if (made->host.available())
        finding.evidence +=
            fmt::format(" They took {} of the MPI library's memory.", bytes_text(made->host.per_process.max));
      const bool is_told_there = is_much_creation(*one.site, *made, record);
      if (const std::string better = better_way(record, *one.site, *made); !is_told_there && !better.empty())
        finding.action = better + " " + finding.action;
    }
    all.push_back({std::move(finding), weight_of_leak});
  }
}

// Communicators of which there are many, and better none. (Those that take much time: communicator_findings.cc.)
void add_made_in_vain(const Record& record, std::vector<Weighed>& all) {
  for (const auto& [key, site] :
       record.communicators.heaviest_first([](const CommunicatorSite& s) { return s.made.max; })) {
    const std::uint64_t many = many_of(key->call);
    if (site->made.max < many) break;
    if (site->alive.max >= many || is_much_creation(*key, *site, record)) continue;
    std::string better = better_way(record, *key, *site);
    if (better.empty()) continue;
    Finding finding{Verdict::act, "communicators", "", "", std::move(better)};
    finding.what = fmt::format("A process makes {} by {}{}.", counted(site->made.max, "communicator"), key->call,
                               at(site->symbol, *key));
    const double ns = creation_ns(*key, *site, record);
    finding.evidence = fmt::format("Measured: {} of all processes.", time_text(ns));
    finding.most_seconds = mean_seconds(ns, record);
    all.push_back({std::move(finding), part_of_run(ns, record)});
  }
}

// The time of the calls that make, commit and free the types of a place, in ns of all processes. Each type gets the
// same part of it. Duplicates are made by a call of their own, and freed as all are.
double ns_of_types(const ObjectsOfPlace& place, const std::vector<ObjectsOfPlace>& places, const Record& record) {
  double making = 0, freeing = 0, committed = 0, duplicates = 0;
  record.calls.each([&](const std::string& name, const CallCount& call) {
    if (!name.starts_with("MPI_Type_") || name.ends_with("_keyval") || name == "MPI_Type_dup") return;
    (name == "MPI_Type_free" ? freeing : making) += real(call.time_ns.of.sum);
  });
  for (const ObjectsOfPlace& one : places) {
    if (one.site->call == "MPI_Type_commit") committed += real(one.made.sum);
    if (one.site->call == "MPI_Type_dup") duplicates += real(one.made.sum);
  }
  return real(place.made.sum) * (making / committed + freeing / (committed + duplicates));
}

// Types that live briefly, where making them takes a part of the run.
void add_types_in_loops(const Record& record, std::vector<Weighed>& all) {
  constexpr double much = 0.01, of_one_alive = 10;
  const std::vector<ObjectsOfPlace> places = objects_by_place(record);
  const ObjectsOfPlace* heaviest = nullptr;
  for (const ObjectsOfPlace& one : places)
    if (one.site->call == "MPI_Type_commit" && (heaviest == nullptr || one.made.sum > heaviest->made.sum))
      heaviest = &one;
  if (heaviest == nullptr || heaviest->made.max < many_of(heaviest->site->call)) return;
  if (heaviest->most_alive.samples == 0 || heaviest->made.mean() < of_one_alive * heaviest->most_alive.mean()) return;
  const double ns = ns_of_types(*heaviest, places, record), part = part_of_run(ns, record);
  if (part < much) return;
  const std::string place = at(*heaviest->symbol, *heaviest->site);
  Finding finding{Verdict::act, "datatypes", "", "", ""};
  finding.what = fmt::format("{} of the run goes into making datatypes: MPI_Type_commit{} commits again and again.",
                             percent_text(part), place);
  finding.evidence = fmt::format(
      "Counted: a process commits {} there, at most {} at once. Estimated, as not each of these calls is timed: "
      "making, committing and freeing them takes {} in all processes.",
      count_text(heaviest->made.max), count_text(heaviest->most_alive.max), time_text(ns));
  finding.action =
      "Keep each datatype that comes again, and free it behind the loop. Where each has displacements of its own, "
      "there is none to keep.";
  finding.most_seconds = mean_seconds(ns, record);
  all.push_back({std::move(finding), part});
}

}  // namespace

void add_leak_findings(const Record& record, std::vector<Weighed>& all) {
  add_not_freed(record, all);
  add_made_in_vain(record, all);
  add_types_in_loops(record, all);
}

}  // namespace marshal::report
