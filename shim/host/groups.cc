#include "host/groups.h"

#include <deque>
#include <memory>
#include <mutex>

#include "base/cache_line_heap.h"
#include "host/handles.h"
#include "host/map_sources.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "base/registry.h"
#include "host/self_check.h"

namespace marshal::books {
namespace {

struct Group : OnCacheLine {
  explicit Group(const RankMap& of) : map(of) {}
  RankMap map;
  int references = 1;         // guarded by writing()
  bool all_are_known = true;  // the references: else another thread may have some that nobody saw it get
};

// Taken to write: several threads may get, and give back, references of one handle at once, and none shall find an
// entry that another is taking away with what it takes for the last one.
std::mutex& writing() {
  static std::mutex& the = *new std::mutex;
  return the;
}

// An entry is taken out while another thread may be reading it, if not all references are known: such entries stay for
// a while, until so many more have gone the same way. Under the lock.
void retire(std::unique_ptr<Group> gone) {
  constexpr std::size_t most = 64;
  static std::deque<std::unique_ptr<Group>>& retired = *new std::deque<std::unique_ptr<Group>>;
  if (gone == nullptr || gone->all_are_known) return;
  retired.push_back(std::move(gone));
  if (retired.size() > most) retired.pop_front();
}

Registry<Group>& registry() {
  static Registry<Group>& alive = *new Registry<Group>;  // outlives the program's own static objects
  return alive;
}

// Any thread may use it at any time, and it is the same for ever.
bool is_permanent(MPI_Group handle) { return handle == predefined().group_empty; }

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
  learnt->all_are_known = false;
  const std::lock_guard lock(writing());
  if (const RankMap* map = find_group(handle)) return map;  // by another thread
  const RankMap* map = &learnt->map;
  registry().insert(key_of(handle), std::move(learnt));
  return map;
}

void enter_group(const char* call, MPI_Group handle, const RankMap& map) {
  check_group(call, handle, map);
  const std::lock_guard lock(writing());
  if (Group* group = registry().find(key_of(handle)); group != nullptr && same(group->map, map)) {
    ++group->references;
    return;
  }
  retire(registry().insert(key_of(handle), std::make_unique<Group>(map)));
}

void release_group(MPI_Group handle) {
  if (is_permanent(handle)) return;
  const std::lock_guard lock(writing());
  Group* group = registry().find(key_of(handle));
  if (group != nullptr && --group->references == 0) retire(registry().extract(key_of(handle)));
}

void forget_group(MPI_Group handle) {
  if (find_group(handle) == nullptr || is_permanent(handle)) return;
  const std::lock_guard lock(writing());
  std::unique_ptr<Group> gone = registry().extract(key_of(handle));
  if (gone != nullptr) gone->all_are_known = false;
  retire(std::move(gone));
}

GroupTotals group_totals() {
  GroupTotals totals;
  registry().for_each([&](std::uint64_t, const Group& group) {
    ++totals.alive;
    totals.map_bytes += group.map.bytes();
  });
  return totals;
}

}  // namespace marshal::books
