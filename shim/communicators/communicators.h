// The book of communicators: an entry for each communicator that is alive.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/attempt.h"
#include "base/last_found.h"
#include "communicators/communicator.h"
#include "host/handles.h"

namespace marshal {

namespace books {

const Communicator* look_up(MPI_Comm handle);

inline thread_local constinit LastFound<Communicator> last_communicator [[gnu::tls_model("initial-exec")]];
inline Departures communicator_departures{0};

// The entry of `handle`, or null. Lock free; valid until the communicator is freed.
inline const Communicator* find(MPI_Comm handle) {
  return last_communicator.find(key_of(handle), communicator_departures, [=] { return look_up(handle); });
}

// The same, but learns a communicator from the host first if it was made unseen: in a callback, or by a library that
// calls PMPI. Null if `handle` is no communicator, or the host is not to be asked (MARSHAL_RANKMAP=derived). Without
// memory to learn it, its entry has no map.
const Communicator* known(MPI_Comm handle) noexcept;

// The entry of a communicator if Marshal saw its creation on all its processes, else null. All processes get the same
// answer. Calls neither the host nor error handlers.
const Communicator* seen_by_all(MPI_Comm handle);

// Enters a communicator under its handle; replaces an older entry whose end went unnoticed. Returns the new entry.
const Communicator* enter(MPI_Comm handle, std::unique_ptr<Communicator> communicator);

// Enters one whose map or site could not be kept for lack of memory: without a map, but with the facts that all members
// must agree on. Never fails.
void enter_without_map(MPI_Comm handle) noexcept;
// The same for a duplicate of `parent`, without asking the host: MPI_Comm_idup may still be in progress.
void enter_without_map(MPI_Comm handle, const Communicator& parent) noexcept;

// Runs `enter`, which enters a new communicator with its map. If memory runs out, it is entered without a map.
template <class Enter>
void enter_made(MPI_Comm handle, Enter&& enter) {
  if (!attempt(std::forward<Enter>(enter))) enter_without_map(handle);
}

// Open MPI has one more inside an intercommunicator, of the local processes.
std::uint64_t more_in_host(const Communicator& communicator) noexcept;
// Counts the end of a communicator that has left the books.
void count_end(const Communicator& communicator) noexcept;
// Communicators that are alive, and on which no message and no timed call was seen: how many, by their site.
std::map<const CreationSite*, std::uint64_t> unused_communicators();

// Takes it off the books; null when it was not on them.
std::unique_ptr<Communicator> take(MPI_Comm handle);

// Forgets a communicator that was made or freed unseen, in a callback of the program or inside the host.
void forget_communicator(MPI_Comm handle);

// The part of the time since then, from 0 to 1, in which this process had a communicator of the grid with this number.
// It is 1 while one of them is alive.
double part_alive(GridNumber number, std::chrono::steady_clock::time_point since);

struct CommunicatorTotals {
  std::uint64_t made = 0, alive = 0;
  std::uint64_t map_bytes = 0, map_bytes_peak = 0;  // of the maps
  std::uint64_t tables_shared = 0;  // communicators that found their lookup table already kept for another
};
CommunicatorTotals communicator_totals();  // lock free
std::size_t communicator_table_bytes();    // of the table from handles to maps

}  // namespace books
}  // namespace marshal
