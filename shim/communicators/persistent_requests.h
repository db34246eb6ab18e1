// Requests that are set up once and started often: where, and what each start counts as. Thread safe; starting takes no
// lock.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "callsites/object_place.h"
#include "communicators/collectives_made.h"
#include "communicators/sent_messages.h"

namespace marshal {

struct PersistentPart {
  PeerName to;
  GridNumber grid;  // that it is sent in
  MessageSize size;
};

namespace detail {
inline std::atomic<bool> any_persistent_requests{false};
}

// True once the program has set up a persistent request.
inline bool any_persistent_requests() { return detail::any_persistent_requests.load(std::memory_order_relaxed); }

// A request that was set up at `made_at`. One start of it sends these parts: a single one, one for each neighbour in a
// topology, or none.
void enter_persistent_send(ObjectPlace& made_at, MPI_Request request, std::vector<PersistentPart> parts);
// One start of `request` is a collective call in which this process's part has so many bytes.
void enter_persistent_collective(ObjectPlace& made_at, MPI_Request request, const CollectiveName& name,
                                 std::uint64_t bytes);

// A request was started, which had the handle `before` and now has `after`. Other requests are none of ours.
void count_started(MPI_Request before, MPI_Request after) noexcept;

// It is about to be freed. True if it was set up as a persistent one.
bool forget_persistent_request(MPI_Request request) noexcept;

}  // namespace marshal
