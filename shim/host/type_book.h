// The book of datatypes: an entry for each handle. One table has the types that are not read yet; it is of fixed size
// and forgets, since a program may commit a million and pack none. The other has those that are read. find_type() asks
// the host nothing; learn_type() may. The states: doc/ARCHITECTURE.md, "The life of a datatype".
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/last_found.h"
#include "callsites/commit_sites.h"
#include "host/committed_kinds.h"
#include "host/handles.h"
#include "host/layouts.h"
#include "host/message_sites.h"
#include "host/type_lives.h"
#include "report/record.h"

namespace marshal {

enum class TypeState : std::uint8_t {
  unseen,         // not on the book
  committed,      // not packed yet
  counted,        // the host packs it; the time that this takes counts
  waited_for,     // the same, and it is known from what time on it is worth reading
  worth_reading,  // the next call reads it
  read,           // it has a layout: the engine packs it
  left_to_host    // it cannot be read: the host packs it for good
};

// A type that is read, or left to the host.
struct Datatype {
  std::shared_ptr<const SharedLayout> layout;  // null: the host packs it,
  const char* why_not = nullptr;               // for this reason
  datatype::Span touched{};                    // by one instance
  std::optional<TypeKind> kind;                // of what is left to the host
  CommitSite committed_at = 0;
  std::int64_t element = 0;  // bytes of each predefined element; 0 where they differ
  // Where it was read at its commit, for its messages: the place (message_sites.h), what reading it took, and what the
  // engine has moved of it since, which messages under way count as well.
  std::size_t message_site = 0;
  std::int64_t read_ns = 0;  // 0: it was not
  std::shared_ptr<std::atomic<std::uint64_t>> message_bytes;
  TypeLives* lives = nullptr;         // of types like it, where it was read for its packs
  bool was_read_at_once = false;      // at its first pack
  mutable FastestPack by_engine;      // of this type alone
  std::uint64_t bytes_of_others = 0;  // that were packed of its layout before it
  mutable PackCalls by_host[2];       // to pack, to unpack, of what is left to the host

  // Since it was read, and of other types with its layout, too.
  std::int64_t bytes_packed() const { return static_cast<std::int64_t>(layout->bytes_packed() - bytes_of_others); }
  TypeState state() const { return layout != nullptr ? TypeState::read : TypeState::left_to_host; }
};

// Types that are not read, by handle. A type whose place another one took is unseen again. Lock free.
class UnreadTypes {
 public:
  // Which pack by the host is timed: none more, the second one, or the next one.
  enum class Timing : std::uint8_t { none, second, next };

  struct Place {
    std::atomic<std::uint64_t> key{0};           // the handle's key plus one; 0: free
    std::atomic<std::int64_t> host_ns{0};        // that the host has taken to pack it, measured or estimated
    std::atomic<float> ns_per_byte{0};           // of a pack by the host; 0: none was timed
    std::atomic<std::int64_t> read_at{0};        // waited for: from so many ns on it is read
    std::atomic<std::int64_t> size_plus_one{0};  // of an instance; 0: not asked yet
    std::atomic<TypeLives*> lives{nullptr};      // of types like it; null before its first pack
    std::atomic<TypeState> state{TypeState::unseen};
    std::atomic<std::uint8_t> committed_in{0};  // the place of the program (message_sites.h)
    std::atomic<Timing> timing{Timing::none};
    std::atomic<bool> is_of_kind{false};  // counted among the commits of its kind
    std::atomic<CommitSite> site{0};
    std::atomic<bool> travelled{false};  // in a message, by the host
    std::atomic<bool> described{false};  // counted among the types of its layout

    // Moves it from state `from` to `to`; false if it was not in `from`.
    bool passes(TypeState from, TypeState to) {
      return state.load(std::memory_order_relaxed) == from &&
             state.compare_exchange_strong(from, to, std::memory_order_relaxed);
    }
    bool is_counted() const {
      const TypeState now = state.load(std::memory_order_relaxed);
      return now == TypeState::counted || now == TypeState::waited_for;
    }
    // Asked for each pack by the host.
    bool is_to_be_timed() {
      const Timing now = timing.load(std::memory_order_relaxed);
      if (now == Timing::second) timing.store(Timing::next, std::memory_order_relaxed);
      return now == Timing::next;
    }
  };

  // A type is committed: what was known of its handle is of another type.
  Place& begin(std::uint64_t key, TypeState state, std::size_t committed_in) {
    Place& place = place_of(key);
    place.host_ns.store(0, std::memory_order_relaxed);
    place.ns_per_byte.store(0, std::memory_order_relaxed);
    place.read_at.store(0, std::memory_order_relaxed);
    place.size_plus_one.store(0, std::memory_order_relaxed);
    place.lives.store(nullptr, std::memory_order_relaxed);
    place.state.store(state, std::memory_order_relaxed);
    place.committed_in.store(static_cast<std::uint8_t>(committed_in), std::memory_order_relaxed);
    place.timing.store(Timing::none, std::memory_order_relaxed);
    place.is_of_kind.store(false, std::memory_order_relaxed);
    place.site.store(0, std::memory_order_relaxed);
    place.travelled.store(false, std::memory_order_relaxed);
    place.described.store(false, std::memory_order_relaxed);
    place.key.store(key + 1, std::memory_order_release);
    return place;
  }
  // The place of a type, counted if it is new here.
  Place& enter(std::uint64_t key) {
    Place& place = place_of(key);
    return place.key.load(std::memory_order_relaxed) == key + 1 ? place : begin(key, TypeState::counted, 0);
  }
  void forget(std::uint64_t key) {
    Place& place = place_of(key);
    if (place.key.load(std::memory_order_relaxed) == key + 1) place.key.store(0, std::memory_order_relaxed);
  }
  // visit(key, place) for all in the table.
  template <class Visit>
  void for_each(Visit visit) {
    for (Place& place : places_)
      if (const std::uint64_t key = place.key.load(std::memory_order_acquire); key != 0) visit(key - 1, place);
  }
  // Null where it is unseen.
  Place* find(std::uint64_t key) {
    Place& place = place_of(key);
    return place.key.load(std::memory_order_acquire) == key + 1 ? &place : nullptr;
  }

 private:
  Place& place_of(std::uint64_t key) { return places_[(key * 0x9E3779B97F4A7C15ULL) >> (64 - 12)]; }

  std::array<Place, 4096> places_;
};

namespace books {

// The entry of a type that is read or left to the host; else null. It does not ask the host and takes no lock, so it
// may be called from the host's callbacks, on any thread. Valid until the type is destroyed; to need a layout for
// longer, keep the shared pointer. Types leave the book in one place, depart() in type_book.cc: code that must find
// them after MPI_Type_free, until their handle is reused, has to keep them there.
const Datatype* find_type(MPI_Datatype handle);
const Datatype* find_type_of_key(std::uint64_t key);

// Reads a type that is committed now, for its messages (message_sites.h). Null where it cannot be kept on the book.
const Datatype* read_type_now(MPI_Datatype handle, std::size_t message_site);
// The same, and it does not come on the book: whoever has it knows by himself when the type ends.
std::unique_ptr<const Datatype> describe_type_now(MPI_Datatype handle, std::size_t message_site);

// A type that is not read was in a message. May be called from inside the host's callbacks.
void note_travel(std::uint64_t key);

// The bytes of an instance of a type that is not read: known where it was packed before, or learn_size() was called;
// else 0. May be called from inside the host's callbacks; learn_size() may not.
std::int64_t known_size(std::uint64_t key);
void learn_size(MPI_Datatype handle);

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

// The program is about to free it. (A type that was read leaves the book when the host destroys it, by an attribute's
// delete function.)
void forget_type(MPI_Datatype handle);
// The same for a type that only MPI_Pack met, and that was not read. False for all others: then nothing is done.
bool forget_unread_type(MPI_Datatype handle) noexcept;

void put_types_into(report::Record& record);

// The type of a message, of which this thread mostly moved a fragment before. As find_type_of_key().
inline thread_local constinit LastFound<Datatype> last_type_in_message [[gnu::tls_model("initial-exec")]];
inline Departures type_departures{0};
inline const Datatype* find_type_in_message(std::uint64_t key) {
  return last_type_in_message.find(key, type_departures, [=] { return find_type_of_key(key); });
}

// The quick way of a pack, inlined into the entry points.

inline thread_local constinit LastFound<Datatype> last_type [[gnu::tls_model("initial-exec")]];
inline constinit UnreadTypes unread_types;    // separate, so that only the places in use take memory
inline constinit PackCalls packed_unread[2];  // to pack, to unpack
inline constinit CommitCount commit_count;

// Null if this thread asked for another type last.
inline const Datatype* last_found_type(MPI_Datatype handle) { return last_type.get(key_of(handle), type_departures); }

// True once the engine is on and MARSHAL_PACK=auto: then the quick way may count packs by the host.
inline constinit std::atomic<bool> may_wait{false};

// From so many ns of packing by the host on it is known when the type is worth reading.
inline constexpr std::int64_t worth_waiting = 2000;

inline std::int64_t ns_of_pack(const UnreadTypes::Place& place, std::int64_t bytes) {
  const float measured = place.ns_per_byte.load(std::memory_order_relaxed);
  if (measured > 0) return static_cast<std::int64_t>(static_cast<float>(bytes) * measured);
  return bytes / 16 + 32;
}

// As note_committed(), of a type that is not among the first, which the report counts by kind. Also before the host
// commits it: a handle that the host refuses is never packed.
inline void note_later_commit(MPI_Datatype handle, const void* caller) noexcept {
  commit_count.add();
  unread_types.begin(key_of(handle), TypeState::committed, MessageSites::number_of(caller));
}

// Before the first pack of a committed type. False where only the ordinary way will do: it is on the book, or is now
// worth reading, or the report counts it.
bool begin_life(UnreadTypes::Place& place, MPI_Datatype handle) noexcept;

// Before a pack: whether it is left to the host, and counted. So is every pack of `count` instances of a type that has
// room for all of them and makes the type neither worth reading nor timing. Else nothing is noted.
inline bool leave_unread(MPI_Datatype handle, std::int64_t count, std::int64_t room, bool unpack) noexcept {
  UnreadTypes::Place* place = unread_types.find(key_of(handle));
  if (place == nullptr) return false;
  if (!place->is_counted() && !begin_life(*place, handle)) return false;
  std::int64_t bytes;
  const std::int64_t size = place->size_plus_one.load(std::memory_order_relaxed) - 1;
  if (size < 0 || __builtin_mul_overflow(size, count, &bytes) || bytes > room) return false;
  const std::int64_t ns = place->host_ns.load(std::memory_order_relaxed) + ns_of_pack(*place, bytes);
  const std::int64_t read_at = place->read_at.load(std::memory_order_relaxed);
  if ((read_at == 0 ? ns >= worth_waiting : ns >= read_at) || place->is_to_be_timed()) return false;
  place->host_ns.store(ns, std::memory_order_relaxed);
  packed_unread[unpack ? 1 : 0].add_call(bytes);
  return true;
}

}  // namespace books
}  // namespace marshal
