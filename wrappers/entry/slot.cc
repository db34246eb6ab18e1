#include "wrappers/entry/slot.h"

#include <cstring>

#include "host/next_symbol.h"
#include "host/presence.h"
#include "wrappers/door/missing_calls.h"

namespace marshal {

void* Slot::resolve(const void* caller) noexcept {
  void* found = nullptr;
  for (const char* name = spellings_; found == nullptr && *name != '\0'; name += std::strlen(name) + 1)
    found = find_next_symbol(name, caller);
  if (found == nullptr) found = find_missing_call(spellings_, caller);
  meet_host();
  next_.store(found, std::memory_order_release);
  return found;
}

}  // namespace marshal
