#include "wrappers/slot.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "host/next_symbol.h"
#include "host/presence.h"
#include "wrappers/door/missing_function.h"

namespace marshal {
namespace {

// Cuts the first name off.
std::string take_name(std::string_view& names) {
  const std::string_view name = names.substr(0, names.find(' '));
  names.remove_prefix(std::min(names.size(), name.size() + 1));
  return std::string(name);
}

// The function behind the first of the names that has one, or null.
void* find_spelled(std::string_view spellings, const void* caller) {
  void* found = nullptr;
  while (found == nullptr && !spellings.empty()) found = find_next_symbol(take_name(spellings).c_str(), caller);
  return found;
}

}  // namespace

void* Slot::resolve(const void* caller) {
  void* found = find_spelled(spellings_, caller);
  if (std::string_view names = spellings_; found == nullptr) end_without_function(take_name(names).c_str());
  meet_host();
  next_.store(found, std::memory_order_release);
  return found;
}

}  // namespace marshal
