// The book of datatypes: an entry for each handle. One table has the types that are not read yet (unread_types.h), the
// other has the types that are read. find_type() asks the host nothing; learn_type() may. The states:
// doc/ARCHITECTURE.md, "The life of a datatype".
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/last_found.h"
#include "host/handles.h"
#include "report/record.h"
#include "types/known_type.h"
#include "types/message_sites.h"
#include "types/unread_lives.h"
#include "types/unread_types.h"

namespace marshal {

namespace books {

// The entry of a type that is read or left to the host; else null. It does not ask the host and takes no lock, so it
// may be called from the host's callbacks, on any thread. Valid until the type is destroyed; on MPICH
// with MPI_THREAD_MULTIPLE until a reference to it is freed. If you need a layout for longer, keep the shared pointer.
// Types leave the book in one place, depart() in type_book.cc: code that must find them after MPI_Type_free, until
// their handle is reused, has to keep them there.
const Datatype* find_type(MPI_Datatype handle);
const Datatype* find_type_on_book(std::uint64_t key) noexcept;
// Most programs that make types by the ten thousand have none on the book, or a few for a while.
inline constinit std::atomic<std::int64_t> types_on_book{0};
inline const Datatype* find_type_of_key(std::uint64_t key) noexcept {
  return types_on_book.load(std::memory_order_acquire) == 0 ? nullptr : find_type_on_book(key);
}

// Reads a type for its messages, once. Null where it cannot be kept on the book.
const Datatype* read_type_now(MPI_Datatype handle);
// The same, but the type does not come on the book: the owner must know when the type ends.
std::unique_ptr<const Datatype> describe_type_now(MPI_Datatype handle);

// True if read_type_now() and describe_type_now() may be called from inside the host's callbacks.
inline constinit std::atomic<bool> may_read_in_messages{false};
// A type that is not read is in a message of so many bytes. True if one of those two functions is to read it now, for
// this message and the next ones (message_sites.h). May be called from inside the host's callbacks.
bool note_travel(std::uint64_t key, std::int64_t bytes);

// As find_type(), and counts `count` instances that are about to be packed. The call that makes a type worth reading
// reads it from the host. Null also if the engine is off.
const Datatype* learn_type(MPI_Datatype handle, std::int64_t count);

// By MPI_Type_commit, called at `caller`, a return address in the program.
void note_committed(MPI_Datatype handle, const void* caller);

// Packed by the host, with success, in so many ns if that was timed. `type`: as learn_type() said.
void note_packed_by_host(MPI_Datatype handle, const Datatype* type, bool unpack, std::int64_t count,
                         std::int64_t ns = 0);

// Says whether to time the coming pack by the host (type_lives.h). Ask once for each pack.
bool is_to_be_timed(MPI_Datatype handle);

// The program is about to free it. (A type that was read leaves the book by an attribute's delete function, when the
// host destroys it; on MPICH with MPI_THREAD_MULTIPLE now.)
void forget_type(MPI_Datatype handle);

void put_types_into(report::Record& record);

// The type of a message, of which this thread mostly moved a fragment before. As find_type_of_key().
inline thread_local constinit LastFound<Datatype> last_type_in_message [[gnu::tls_model("initial-exec")]];
inline Departures type_departures{0};
inline const Datatype* find_type_in_message(std::uint64_t key) {
  return last_type_in_message.find(key, type_departures, [=] {
    const UnreadTypes::Place* const place = unread_types.find(key);
    return place != nullptr && place->is_unread() ? nullptr : find_type_of_key(key);
  });
}

// The quick way of a pack, inlined into the entry points.

inline thread_local constinit LastFound<Datatype> last_type [[gnu::tls_model("initial-exec")]];
inline constinit PackCalls packed_unread[2];  // to pack, to unpack
inline constinit CommitCount commit_count;

// Null if this thread asked for another type last.
inline const Datatype* last_found_type(MPI_Datatype handle) { return last_type.get(key_of(handle), type_departures); }

// A type that is read may have lost its place to another one, and be committed again.
inline TypeState state_at_commit(std::uint64_t key) noexcept {
  return find_type_of_key(key) == nullptr ? TypeState::committed : TypeState::worth_reading;
}

// As note_committed(), at `site` (message_sites.h), of a type that is not among the first, which the report counts by
// kind. Also before the host commits it: a handle that the host refuses is never packed.
// `place`: that of the handle's key.
[[gnu::always_inline]] inline void note_later_commit(UnreadTypes::Place& place, std::uint64_t key,
                                                     std::size_t site) noexcept {
  commit_count.add();
  const TypeState state = state_at_commit(key);
  const bool may_pass = state == TypeState::committed && host_may_pack_first.load(std::memory_order_relaxed);
  place.begin(key, state, site, may_pass ? first_grants.of_next(site) : 0);
}

// As forget_type(), for a type that was never packed and is not counted by kind, or not on the book; the caller tells
// forget_traffic_type(). False for all others: then nothing is done.
[[gnu::always_inline]] inline bool forget_later_commit(std::uint64_t key) noexcept {
  UnreadTypes::Place* const place = unread_types.find(key);
  if (place == nullptr) return find_type_of_key(key) == nullptr;
  if (place->state.load(std::memory_order_relaxed) != TypeState::committed || place->is_of_kind()) return false;
  unread_types.forget(*place);
  return true;
}

// The place of a type whose next pack nobody has to look at; null for all others. Once the host has packed it with
// success, say how many bytes in how many instances.
inline UnreadTypes::Place* find_passed_on(MPI_Datatype handle) noexcept {
  UnreadTypes::Place* const place = unread_types.find(key_of(handle));
  return place != nullptr && place->may_pass_on() ? place : nullptr;
}
void begin_life(UnreadTypes::Place& place, std::int64_t bytes, std::int64_t count) noexcept;
inline void note_passed_on(UnreadTypes::Place& place, bool unpack, std::int64_t bytes, std::int64_t count) noexcept {
  packed_unread[unpack ? 1 : 0].add_call(bytes);
  if (!place.passed_on(bytes) && place.state.load(std::memory_order_relaxed) == TypeState::committed)
    begin_life(place, bytes, count);
}

}  // namespace books
}  // namespace marshal
