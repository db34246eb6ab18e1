// Counts the collective calls that move data (MARSHAL_TRAFFIC). Thread safe, without a lock.
#pragma once

#include <vector>

#include "traffic/thread_counts.h"

namespace marshal {

// `name.call` is the caller's own number of the call.
void count_collective(const CollectiveName& name, std::uint64_t bytes) noexcept;

struct CollectivesMade {
  CollectiveName name;
  std::uint64_t calls, bytes;
};
// By all threads so far; a name may stand there more than once.
std::vector<CollectivesMade> collectives_made();

}  // namespace marshal
