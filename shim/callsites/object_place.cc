#include "callsites/object_place.h"

#include <map>
#include <mutex>
#include <utility>

#include "base/attempt.h"
#include "base/immortal.h"

namespace marshal {
namespace {

constinit std::mutex entering;
constinit std::size_t entered = 0;

// A search ends at a free entry, so some stay free; so do those for the calls' own entries.
constexpr std::size_t most_of_program = detail::object_places.size() - 128;
const char any_caller = 0;

ObjectPlace* find_or_enter(const char* call, const void* caller) noexcept {
  bool found = false;
  ObjectPlace& place = detail::object_place_or_free(call, caller, found);
  if (found) return &place;
  if (caller != &any_caller && entered >= most_of_program) return nullptr;
  ++entered;
  place.call = call;
  place.caller.store(caller, std::memory_order_release);
  return &place;
}

}  // namespace

ObjectPlace& object_place(const char* call, const void* caller) noexcept {
  if (ObjectPlace* const known = find_object_place(call, caller)) return *known;
  const std::lock_guard lock(entering);
  ObjectPlace* const own = caller != nullptr ? find_or_enter(call, caller) : nullptr;
  return own != nullptr ? *own : *find_or_enter(call, &any_caller);
}

bool stands_for_several(const ObjectPlace& place) {
  return place.caller.load(std::memory_order_relaxed) == &any_caller;
}

namespace {

// The objects of all kinds that found their line full.
struct Others {
  std::mutex mutex;
  std::map<std::pair<const AliveObjects*, std::uint64_t>, ObjectPlace*> places;
};

Others& others() {
  static Immortal<Others> the;
  return *the;
}

}  // namespace

// Another thread may want the same entry.
bool AliveObjects::take_entry(Line& line, std::uint64_t key, ObjectPlace& place) noexcept {
  constexpr std::uint64_t being_taken = ~std::uint64_t{0};
  for (Object& entry : line.entries) {
    std::uint64_t free = 0;
    if (!entry.key.compare_exchange_strong(free, being_taken, std::memory_order_acquire)) continue;
    entry.place.store(&place, std::memory_order_relaxed);
    entry.key.store(key + 1, std::memory_order_release);
    return true;
  }
  return false;
}

void AliveObjects::enter_apart(Line& line, std::uint64_t key, ObjectPlace& place) noexcept {
  attempt([&] {
    if (has(key)) return;
    if (!take_entry(line, key, place)) {
      const std::lock_guard lock(others().mutex);
      others().places[{this, key}] = &place;
      line.others.fetch_add(1, std::memory_order_relaxed);
    }
    place.count_made();
  });
}

bool AliveObjects::leave_others(Line& line, std::uint64_t key) noexcept {
  const std::lock_guard lock(others().mutex);
  const auto found = others().places.find({this, key});
  if (found == others().places.end()) return false;
  found->second->count_ended();
  others().places.erase(found);
  line.others.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool AliveObjects::has(std::uint64_t key) noexcept {
  Line& line = lines_.home(key);
  for (const Object& entry : line.entries)
    if (entry.key.load(std::memory_order_relaxed) == key + 1) return true;
  if (line.others.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(others().mutex);
  return others().places.contains({this, key});
}

}  // namespace marshal
