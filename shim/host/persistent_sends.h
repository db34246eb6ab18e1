// Sends that are set up once and started often: whom a request sends to, so that each start counts as a message.
// Thread safe; starting takes no lock.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "traffic/peer_counts.h"

namespace marshal {

struct PersistentPart {
  PeerName to;
  std::uint64_t bytes;
};

namespace detail {
inline std::atomic<bool> any_persistent_sends{false};
}

// Whether the program ever set one up.
inline bool any_persistent_sends() { return detail::any_persistent_sends.load(std::memory_order_relaxed); }

// What one start of `request` sends: one part, or one for each neighbour in a topology.
void enter_persistent_send(MPI_Request request, std::vector<PersistentPart> parts);

// A request was started, which had the handle `before` and now has `after`. Other requests are none of ours.
void count_started(MPI_Request before, MPI_Request after) noexcept;

// It is about to be freed.
void forget_persistent_send(MPI_Request request) noexcept;

}  // namespace marshal
