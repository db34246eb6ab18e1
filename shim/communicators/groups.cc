#include "communicators/groups.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/entries_in_use.h"
#include "base/immortal.h"
#include "base/registry.h"
#include "communicators/communicator.h"
#include "communicators/communicator_memory.h"
#include "communicators/map_sources.h"
#include "communicators/self_check.h"
#include "host/handles.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "settings/settings_in_force.h"

namespace marshal::books {

// The holders that keep a group alive in the host: references that the program was seen to get, and communicators with
// this group. Both are in one word, so that the instruction that drops a reference tells whether it was the last.
class GroupHolders {
 public:
  void refer() noexcept { word_.fetch_add(1); }
  // True if no holder is left. More references may be given back than were seen to be got.
  bool drop() noexcept { return word_.fetch_sub(1) == none + 1; }
  void add_communicator() noexcept { word_.fetch_add(communicator); }
  void drop_communicator() noexcept { word_.fetch_sub(communicator); }

  bool has_communicators() const noexcept { return word_.load() >= communicator; }
  bool has_references() const noexcept { return (word_.load() & (communicator - 1)) > none; }
  bool is_last_reference() const noexcept { return word_.load() <= none + 1; }

 private:
  // References are counted from here, so that one too few borrows nothing from the communicators.
  static constexpr std::uint64_t none = std::uint64_t{1} << 31;
  static constexpr std::uint64_t communicator = std::uint64_t{1} << 32;

  std::atomic<std::uint64_t> word_{none};
};

struct Group : OnCacheLine {
  Group(MPI_Group named, const RankMap& of, ObjectPlaceNumber at) : map(of), holders{}, handle(named), made_at(at) {}
  RankMap map;
  mutable GroupHolders holders;
  MPI_Group handle;
  ObjectPlaceNumber made_at;  // 0: made unseen, or permanent
  bool all_are_known = true;  // all references were seen; if not, another thread may have one that was got unseen
  bool replaced = false;      // no longer in the book: only communicators that ended unseen still refer to it
  mutable const Group* left_before = nullptr;  // EntriesInUse
};

namespace {

constinit AliveObjects counted_groups;  // those that are not in the book
constinit Relaxed<bool> any_counted;
void leave_counted(MPI_Group handle) {
  if (any_counted) counted_groups.leave(key_of(handle));
}

// Serialises writers: several threads may get and give back references of one handle at once. No thread may find an
// entry while another one removes it with the last reference that it knows of.
constinit std::mutex writing;

// Two operands, and a group that is freed.
using InUse = EntriesInUse<Group, 3>;
constexpr std::size_t being_freed = 2;
thread_local constinit InUse::Noted* noted [[gnu::tls_model("initial-exec")]] = nullptr;
constinit Departures departures{0};
InUse& in_use() {
  static Immortal<InUse> the;
  return *the;
}

// Another thread may still be reading a removed entry, by a reference that it got unseen. Under the lock. Allocates
// nothing, so the end of a communicator cannot fail.
void retire(std::unique_ptr<const Group> gone) noexcept {
  if (gone == nullptr) return;
  if (gone->made_at != 0) object_place_of(gone->made_at).count_ended();
  departures.fetch_add(1);
  if (objects_are_shared) in_use().leave(std::move(gone));
}

Registry<Group>& registry() {  // HANDLES: groups
  static Immortal<Registry<Group>> alive;
  return *alive;
}

const Group* find_entry(MPI_Group handle, std::size_t way) {
  const auto look_up = [=]() -> const Group* { return registry().find(key_of(handle)); };
  if (!objects_are_shared) return look_up();
  return in_use().note(noted, way, departures, look_up);
}

// Any thread may use it at any time, and it never changes.
bool is_permanent(MPI_Group handle) { return handle == predefined().group_empty; }

// The entry of a handle; a new one if there is none, or if the old one is of a group that ended unseen. Under the lock.
Group& entry_of(MPI_Group handle, const RankMap& map, ObjectPlace& made_at) {
  Group* group = registry().find(key_of(handle));
  if (group != nullptr && same_processes(group->map, map)) return *group;
  auto made =
      std::make_unique<Group>(handle, map, is_permanent(handle) ? ObjectPlaceNumber{0} : object_place_number(made_at));
  Group& entry = *made;
  leave_counted(handle);
  std::unique_ptr<Group> unnoticed = registry().insert(key_of(handle), std::move(made));
  if (unnoticed != nullptr && unnoticed->holders.has_communicators()) {
    unnoticed->replaced = true;
    static_cast<void>(unnoticed.release());  // forget_group_of() deletes it
  }
  retire(std::move(unnoticed));
  if (entry.made_at != 0) made_at.count_made();
  return entry;
}

// Removes the entry if it still has no holder.
void remove_if_free(MPI_Group handle) {
  const std::lock_guard lock(writing);
  Group* group = registry().find(key_of(handle));
  if (group != nullptr && !group->holders.has_references() && !group->holders.has_communicators())
    retire(registry().extract(key_of(handle)));
}

}  // namespace

const RankMap* find_group(MPI_Group handle, Operand as) {
  const Group* group = find_entry(handle, static_cast<std::size_t>(as));
  return group ? &group->map : nullptr;
}

const RankMap* known_group(MPI_Group handle) {
  if (const RankMap* map = find_group(handle)) return map;
  if (handle == predefined().group_null || !settings().asks_host) return nullptr;
  auto learnt = std::make_unique<Group>(handle, process_groups().learn(handle, map_form_in_force()), 0);
  learnt->all_are_known = false;
  learnt->holders.refer();
  {
    const std::lock_guard lock(writing);
    registry().insert_if_new(key_of(handle), learnt);  // the first thread's that learns it
  }
  return find_group(handle);
}

void enter_group(ObjectPlace& made_at, MPI_Group handle, const RankMap& map) {
  check_group(made_at.call, handle, map);
  const std::lock_guard lock(writing);
  entry_of(handle, map, made_at).holders.refer();
}

void count_group(ObjectPlace& made_at, MPI_Group handle) noexcept {
  if (is_permanent(handle)) return;
  any_counted = true;
  counted_groups.enter(key_of(handle), made_at);
}

void enter_group_of(ObjectPlace& made_at, MPI_Group handle, const Communicator& communicator) {
  check_group(made_at.call, handle, communicator.map);
  const std::lock_guard lock(writing);
  communicator.is_used = true;
  Group& group = entry_of(handle, communicator.map, made_at);
  group.holders.refer();
  if (is_permanent(handle) || checks_itself() || communicator.group.load(std::memory_order_relaxed) != nullptr) return;
  group.holders.add_communicator();
  communicator.group.store(&group, std::memory_order_release);
}

bool refer_to_group_of(const Communicator& communicator) noexcept {
  Group* group = communicator.group.load(std::memory_order_acquire);
  if (group == nullptr) return false;
  group->holders.refer();
  return true;
}

void forget_group_of(const Communicator& communicator) noexcept {
  if (communicator.group.load(std::memory_order_relaxed) == nullptr) return;
  const std::lock_guard lock(writing);
  Group* group = communicator.group.exchange(nullptr, std::memory_order_relaxed);
  group->holders.drop_communicator();
  if (group->holders.has_communicators()) return;
  if (group->replaced)
    retire(std::unique_ptr<Group>(group));
  else if (!group->all_are_known || !group->holders.has_references())
    retire(registry().extract(key_of(group->handle)));
}

bool release_one_of_several(MPI_Group handle) noexcept {
  if (is_permanent(handle)) return true;
  const Group* group = find_entry(handle, being_freed);
  if (group == nullptr) {
    leave_counted(handle);
    return true;
  }
  if (group->holders.is_last_reference()) return false;
  // The reference was got unseen.
  if (!group->holders.has_references()) return true;
  if (group->holders.drop()) remove_if_free(handle);  // another thread gave back the others
  return true;
}

void release_group(MPI_Group handle) {
  if (!release_one_of_several(handle)) {
    const std::lock_guard lock(writing);
    Group* group = registry().find(key_of(handle));
    if (group != nullptr && group->holders.drop()) retire(registry().extract(key_of(handle)));
    leave_counted(handle);  // if it was learnt since
  }
}

namespace {

void leave_unseen(MPI_Group handle, bool drops_reference) {
  leave_counted(handle);
  if (find_group(handle) == nullptr || is_permanent(handle)) return;
  const std::lock_guard lock(writing);
  Group* group = registry().find(key_of(handle));
  if (group == nullptr) return;
  group->all_are_known = false;
  if (drops_reference && group->holders.has_references()) group->holders.drop();
  // A communicator's group does not change.
  if (!group->holders.has_communicators()) retire(registry().extract(key_of(handle)));
}

}  // namespace

void forget_group(MPI_Group handle) { leave_unseen(handle, false); }

void release_group_unseen(MPI_Group handle) {
  if (!GroupReleased::within) leave_unseen(handle, true);
}

std::vector<const ObjectPlace*> places_of_groups_kept() {
  std::vector<const ObjectPlace*> places;
  registry().for_each([&](std::uint64_t, const Group& group) {
    if (group.made_at != 0 && !group.holders.has_references()) places.push_back(&object_place_of(group.made_at));
  });
  return places;
}

GroupTotals group_totals() {
  GroupTotals totals;
  registry().for_each([&](std::uint64_t, const Group& group) {
    if (group.holders.has_references()) ++totals.alive;
    totals.map_bytes += group.map.bytes();
  });
  return totals;
}

}  // namespace marshal::books
