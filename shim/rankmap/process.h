// A process as Marshal names it: its process group and its rank there.
#pragma once

#include <compare>
#include <cstdint>

namespace marshal {

// The papers' (pgid, lpid). Groups are numbered by each process for itself; 0 is the job that this process started in.
struct Process {
  std::int32_t group;
  std::int32_t lpid;
  auto operator<=>(const Process&) const = default;
};

}  // namespace marshal
