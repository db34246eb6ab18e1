#include "wrappers/slot.h"

#include "host/next_symbol.h"
#include "host/presence.h"
#include "wrappers/door/missing_function.h"

namespace marshal {

void* Slot::resolve(const void* caller) {
  void* found = find_next_symbol(symbol_, caller);
  if (found == nullptr) end_without_function(symbol_);
  meet_host();
  next_.store(found, std::memory_order_release);
  return found;
}

}  // namespace marshal
