#include "findings/leaks.h"

#include <algorithm>

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

}  // namespace marshal::report
