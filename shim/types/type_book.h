// The book of datatypes: an entry for each handle. One table has the types that are not read yet (unread_types.h), the
// other has the types that are read. find_type_of_key() asks the host nothing; learn_type() may. The states:
// doc/WALKS.md, "The life of a datatype".
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/last_found.h"
#include "host/handles.h"
#include "record/record.h"
#include "types/known_type.h"
#include "types/unread_types.h"

namespace marshal::books {

// The entry of a type that is read or left to the host; else null. It does not ask the host and takes no lock, so it
// may be called from the host's callbacks, on any thread. Valid until the type is destroyed; on MPICH
// with MPI_THREAD_MULTIPLE until a reference to it is freed: then only what find_type() or learn_type() gave
// to this thread last stays. If you need a layout for longer, keep the shared pointer.
// Types leave the book in one place, depart() in type_book.cc: code that must find them after MPI_Type_free, until
// their handle is reused, has to keep them there.
const Datatype* find_type_on_book(std::uint64_t key) noexcept;
// Most programs that make types by the ten thousand have none on the book, or a few for a while.
inline constinit std::atomic<std::int64_t> types_on_book{0};
inline const Datatype* find_type_of_key(std::uint64_t key) noexcept {
  return types_on_book.load(std::memory_order_acquire) == 0 ? nullptr : find_type_on_book(key);
}
inline bool is_on_book(MPI_Datatype handle) { return find_type_of_key(key_of(handle)) != nullptr; }

// Reads a type for its messages, once. Null where it cannot be kept on the book, and for predefined types.
const Datatype* read_type_now(MPI_Datatype handle);
// The same, but the type does not come on the book: the owner must know when the type ends.
std::unique_ptr<Datatype> describe_type_now(MPI_Datatype handle);

// True if these two may be called from inside the host's callbacks.
inline constinit Relaxed<bool> may_read_in_messages;
// A type that is not read is in a message of so many bytes. True if one of those two is to read it now, for this
// message and the next ones (site_history.h). May be called from inside the host's callbacks.
[[gnu::always_inline]] inline bool is_to_be_read(UnreadType& type, std::int64_t bytes) {
  return !type.is_left_in_messages && type.travels(bytes) && may_read_in_messages;
}
bool note_travel(std::uint64_t key, std::int64_t bytes);

// The type of find_type(), if it is read, whose buffers are about to be copied (copies/gapped_buffer.h), in a call of
// the program. Reads it once the copies would have saved so many ns as reading takes: the coming one is of `count`
// instances. Where the engine does all on this way, it is read now. Null also for a type that has a first program only.
const Datatype* learn_copied_type(MPI_Datatype handle, std::int64_t count, Way way);

// As find_type_of_key(), of a type that is about to be packed. The call that finds it time hands the type to the
// engine. Null also if the engine is off.
const Datatype* learn_type(MPI_Datatype handle);

// The host may pack types first from here on, if the engine is on. Tries that out.
void begin_to_count_packs();

// By MPI_Type_commit, called at `caller`, a return address in the program.
void note_committed(MPI_Datatype handle, const void* caller);

// The host packed `bytes` with success, in `ns` if that was timed. `type`: as learn_type() said.
void note_packed_by_host(MPI_Datatype handle, const Datatype* type, bool unpack, std::int64_t bytes,
                         std::int64_t ns = 0);

// The program is about to free it. (A type that was read leaves the book by an attribute's delete function, when the
// host destroys it; on MPICH with MPI_THREAD_MULTIPLE now.)
void forget_type(MPI_Datatype handle);

void put_types_into(report::Record& record);

// The type of a message, of which this thread mostly moved a fragment before. As find_type_of_key().
inline thread_local constinit LastFound<Datatype> last_type_in_message [[gnu::tls_model("initial-exec")]];
inline Departures type_departures{0};
// Several threads may be in MPI at once (EntriesInUse); constant once a type is on the book.
inline constinit Relaxed<bool> types_are_shared;
const Datatype* find_shared_type(std::uint64_t key) noexcept;

// What is known of a handle: nothing, or one of these.
struct FoundType {
  const Datatype* read = nullptr;  // or left to the host
  UnreadType* unread = nullptr;    // committed by the program

  bool is_known() const { return read != nullptr || unread != nullptr; }
  // Null where the engine cannot move it, or not yet.
  const SharedLayout* layout() const { return read != nullptr ? read->layout.get() : nullptr; }
};
// Valid as what find_type_of_key() says; also inside the host's callbacks.
inline FoundType find_type(std::uint64_t key) {
  if (const Datatype* const last = last_type_in_message.get(key, type_departures)) return {last};
  if (UnreadType* const unread = find_unread(key); unread != nullptr && !unread->is_on_book) return {nullptr, unread};
  if (types_are_shared) [[unlikely]]
    return {find_shared_type(key)};
  return {last_type_in_message.find(key, type_departures, [=] { return find_type_of_key(key); })};
}

inline thread_local constinit LastFound<Datatype> last_type [[gnu::tls_model("initial-exec")]];
inline constinit PackCalls packed_unread[2];                    // to pack, to unpack
inline constinit Relaxed<std::uint64_t> commits, freed_unused;  // of types

// True once the engine is on and MARSHAL_PACK=auto: then the quick way may count packs by the host.
inline constinit Relaxed<bool> host_may_pack_first;

// Null if this thread asked for another type last.
inline const Datatype* last_found_type(MPI_Datatype handle) { return last_type.get(key_of(handle), type_departures); }

// As note_committed(), of a type whose place of the program is not new. Also before the host commits it: a handle that
// the host refuses is never packed. `type`: where a type of this key comes. A type that is read may have lost that to
// another one, and be committed again.
inline void note_later_commit(UnreadType& type, std::uint64_t key, std::uint8_t site) noexcept {
  commits += 1;
  const bool on_book = find_type_of_key(key) != nullptr;
  if (type.is_taken() || is_among_alive(key)) [[unlikely]]
    return begin_apart(type, key, site, on_book, host_may_pack_first);
  type.begin(key, site, on_book, host_may_pack_first);
}

// The same at a place that gained nothing so far, in a few instructions; false, and nothing is done, for all others.
[[gnu::always_inline]] inline bool note_brief_commit(UnreadType& type, std::uint64_t key, std::uint8_t site) noexcept {
  const bool is_alone = types_on_book.load(std::memory_order_relaxed) == 0 && !any_alive_types && !type.is_taken();
  if (!is_alone || !host_may_pack_first || !type.begin_unlooked(key, site)) return false;
  commits += 1;
  return true;
}

// As forget_type(), for a type that is not on the book; the caller calls forget_traffic_type(). False for all others:
// then nothing is done.
inline bool forget_later_commit(std::uint64_t key) noexcept {
  UnreadType* const type = find_unread(key);
  if (type == nullptr) {
    if (find_type_of_key(key) != nullptr) return false;
    if (any_alive_types || unread_place_of(key).pushed_out != 0) [[unlikely]]
      end_apart(key);
    return true;
  }
  if (type->is_on_book) return false;
  type->ended(!may_read_in_messages);
  if (type->is_unused()) freed_unused += 1;
  type->forget();
  count_end(*type, key);
  return true;
}

// The same with forget_traffic_type(), for a type that teaches nothing, in a few instructions; false, and nothing is
// done, for all others.
[[gnu::always_inline]] inline bool forget_brief_commit(std::uint64_t key) noexcept {
  UnreadType& type = unread_place_of(key);
  if (!type.is_of(key) || type.is_on_book || type.has_kept_sizes || any_alive_types ||
      !type.teaches_nothing(!may_read_in_messages))
    return false;
  if (type.is_unused()) freed_unused += 1;
  type.forget();
  type.history().count_end();
  return true;
}

}  // namespace marshal::books
