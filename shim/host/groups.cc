#include "host/groups.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "host/cache_line_heap.h"
#include "host/handles.h"
#include "host/map_sources.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "host/registry.h"
#include "host/self_check.h"

namespace marshal::books {
namespace {

struct Group : OnCacheLine {
  explicit Group(const RankMap& of) : map(of) {}
  RankMap map;
  std::atomic<int> references{1};
};

Registry<Group>& registry() {
  static Registry<Group>& alive = *new Registry<Group>;  // outlives the program's own static objects
  return alive;
}

bool same(const RankMap& a, const RankMap& b) {
  if (a.size() != b.size() || a.tracked() != b.tracked()) return false;
  if (!a.tracked()) return true;
  if (a.formula() && b.formula()) return a.group() == b.group() && *a.formula() == *b.formula();
  for (int rank = 0; rank < a.size(); ++rank)
    if (a.process(rank) != b.process(rank)) return false;
  return true;
}

}  // namespace

const RankMap* find_group(MPI_Group handle) {
  const Group* group = registry().find(key_of(handle));
  return group ? &group->map : nullptr;
}

const RankMap* known_group(MPI_Group handle) {
  if (const RankMap* map = find_group(handle)) return map;
  if (handle == predefined().group_null) return nullptr;
  auto learnt = std::make_unique<Group>(process_groups().learn(handle, map_form_in_force()));
  const RankMap* map = &learnt->map;
  registry().insert(key_of(handle), std::move(learnt));
  return map;
}

void enter_group(const char* call, MPI_Group handle, const RankMap& map) {
  check_group(call, handle, map);
  if (Group* group = registry().find(key_of(handle)); group != nullptr && same(group->map, map)) {
    group->references.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  registry().insert(key_of(handle), std::make_unique<Group>(map));
}

void release_group(MPI_Group handle) {
  Group* group = registry().find(key_of(handle));
  if (group != nullptr && group->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    registry().extract(key_of(handle));
}

void forget_group(MPI_Group handle) { registry().extract(key_of(handle)); }

GroupTotals group_totals() {
  GroupTotals totals;
  registry().for_each([&](std::uint64_t, const Group& group) {
    ++totals.alive;
    totals.map_bytes += group.map.bytes();
  });
  return totals;
}

}  // namespace marshal::books
