#include "callsites/object_place.h"

#include <mutex>

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

}  // namespace marshal
