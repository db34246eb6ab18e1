// Counts every message that the program sends, by the process that it goes to (MARSHAL_TRAFFIC).
//
// A send that goes where this thread sent lately, with a datatype that it used lately, is counted in a few
// instructions: no lock, no allocation, no call. All else is found out once (sent_messages.cc). Bytes are those of the
// message's data: count × size of the datatype.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/always_inline.h"
#include "base/fixed_table.h"
#include "base/thread_records.h"
#include "host/handles.h"
#include "traffic/thread_counts.h"
#include "types/unread_types.h"

namespace marshal {

namespace detail {
inline std::atomic<bool> watching{false};
}

// True while messages are counted: from MPI_Init on, unless MARSHAL_TRAFFIC=off. The same on all processes.
inline bool is_watching_messages() { return detail::watching.load(std::memory_order_relaxed); }
void watch_messages();

// The peers and datatypes that a thread looked up last.
struct SentLately : ThreadRecord<SentLately> {
  struct PeerSlot {  // a rank of a communicator or of a window
    std::uint64_t of = ~std::uint64_t{0}, departures = 0;
    std::int32_t rank = -1;
    PeerCount* count = nullptr;
  };
  struct Type {
    static constexpr std::uint64_t for_ever = ~std::uint64_t{0};  // a predefined type
    std::uint64_t key = ~std::uint64_t{0}, departures = 0;
    std::uint64_t size = 0;
  };

  PeerSlot& peer(std::uint64_t of, std::int32_t rank) {
    return peers.home(of ^ spread(static_cast<std::uint32_t>(rank), 64));
  }

  FixedTable<PeerSlot, 128> peers;  // HANDLES: what a thread sent to lately
  FixedTable<Type, 16> types;       // HANDLES: sizes of types in messages
  PeerCounts counts;
  PeerCount derived;  // the messages of derived datatypes, to whomever
};

inline thread_local constinit SentLately* sent_lately [[gnu::tls_model("initial-exec")]] = nullptr;

// The slow ways. Null where there is no memory: such messages are counted as lost.
SentLately* new_sent_lately() noexcept;
PeerCount* peer_at(SentLately& thread, PassedHandle<HandleOf::comm> communicator, std::int32_t rank) noexcept;
PeerCount* peer_at(SentLately& thread, PassedHandle<HandleOf::win> window, std::int32_t rank) noexcept;

// The data of so many instances that the host has taken from the program.
struct MessageSize {
  std::uint64_t bytes;
  bool is_derived;  // of a derived datatype
};

// Of one instance. The first few times that a committed type is asked about, its size is not kept here: most types that
// live briefly are asked about no more, and then their end voids nothing.
MessageSize type_size(SentLately& thread, PassedHandle<HandleOf::type> type) noexcept;

MARSHAL_ALWAYS_INLINE inline MessageSize size_of_type(SentLately& thread, PassedHandle<HandleOf::type> type) {
  const SentLately::Type& lately = thread.types.home(type.key);
  if (lately.key == type.key) {
    if (lately.departures == SentLately::Type::for_ever) return {lately.size, false};
    if (lately.departures == traffic_types_departures.load(std::memory_order_acquire)) return {lately.size, true};
  }
  return type_size(thread, type);
}

// If there are no instances the type may be null: then the host is not asked, since it would call an error handler of
// the program.
MARSHAL_ALWAYS_INLINE inline MessageSize size_of_message(SentLately& thread, std::int64_t count,
                                                         PassedHandle<HandleOf::type> type) {
  if (count <= 0) return {0, false};
  const MessageSize one = size_of_type(thread, type);
  return {static_cast<std::uint64_t>(count) * one.bytes, one.is_derived};
}

// One message to a rank of a communicator, or one access to a rank of a window. Ranks below 0 are no process.
template <HandleOf where_in>
MARSHAL_ALWAYS_INLINE inline void count_message(PassedHandle<where_in> where, std::int32_t rank, std::int64_t count,
                                                PassedHandle<HandleOf::type> type) {
  if (rank < 0 || count < 0) return;
  SentLately* const own = sent_lately != nullptr ? sent_lately : new_sent_lately();
  if (own == nullptr) return;
  SentLately& thread = *own;
  const SentLately::PeerSlot& lately = thread.peer(where.key, rank);
  const bool good = lately.of == where.key && lately.rank == rank &&
                    lately.departures == handle_departures.of(where.key).load(std::memory_order_acquire);
  PeerCount* const peer = good ? lately.count : peer_at(thread, where, rank);
  const MessageSize size = size_of_message(thread, count, type);
  if (peer != nullptr) peer->add(1, size.bytes);
  if (size.is_derived) [[unlikely]]
    thread.derived.add(1, size.bytes);
}

// The process that has `rank` in a communicator. Local; asks the host where Marshal keeps no map, if it may.
PeerName peer_name(MPI_Comm communicator, std::int32_t rank);
// The grid that a communicator is or was made from.
GridNumber grid_of(MPI_Comm communicator);
MessageSize size_of_message(std::int64_t count, MPI_Datatype type) noexcept;
std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type) noexcept;
// Counts a message to a peer that is known by name.
void count_message(PeerName name, GridNumber grid, MessageSize size) noexcept;

// The messages that this process sent to one peer so far, all threads together.
struct SentTo {
  PeerName name;
  std::uint64_t messages, bytes;
  GridNumber grid = 0;
};
SentTo sent_to(PeerName name);
std::vector<SentTo> sent_messages();  // in all grids and elsewhere, by name, ascending
std::vector<SentTo> sent_in_grids();  // the same, apart for each grid, by grid and name
SentTo sent_derived();                // of derived datatypes, to whomever
std::uint64_t lost_messages();        // not counted, for want of memory

// Where the host is not to be asked (MARSHAL_RANKMAP=derived): learns the sizes of the predefined datatypes, for which
// it asks in MPI_Init. Messages of others count without their bytes.
void learn_type_sizes();
// Notes a message or a process's part of a collective call whose bytes are not known.
void note_unsized() noexcept;
std::uint64_t unsized_messages();

}  // namespace marshal
