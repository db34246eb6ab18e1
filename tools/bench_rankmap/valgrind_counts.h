// Events that valgrind counts in functions of this very program, run again under it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace marshal::tools {

// Events of one function and all that it calls, in the order of the file's "events:" line.
using FunctionEvents = std::map<std::string, std::vector<double>>;

struct EventCounts {
  std::vector<std::string> events;  // Ir, and with cache simulation Dr, D1mr, DLmr, …
  FunctionEvents functions;
};

// Runs `valgrind --tool=callgrind` on this program with the given arguments; `cache` also simulates the caches of this
// processor. Empty where there is no valgrind, or it failed.
std::optional<EventCounts> count_events(const std::vector<std::string>& arguments, bool cache);

}  // namespace marshal::tools
