// The types that are not read, by handle, in a table of fixed size without a lock. A newer type may push out an older
// one, since a program may commit a million and pack none. The host may pack a granted number of bytes before anybody
// looks at the type again, so a pack by the host costs one addition here.
//
// Thread safe: two threads at the same moment may lose an observation, or what the host has packed of a type.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/fixed_table.h"
#include "base/last_found.h"
#include "base/relaxed.h"
#include "callsites/call_frames.h"
#include "callsites/object_place.h"
#include "types/site_history.h"

namespace marshal {

// How many types were freed that a message named: what a thread remembers of the size of such a handle is void then.
inline Departures traffic_types_departures{0};

struct alignas(64) UnreadType {       // HANDLES: datatypes that are not read
  std::atomic<std::uint64_t> key{0};  // the handle's key plus one; 0: free
  Relaxed<std::int64_t> packed;       // bytes, by the host
  Relaxed<std::int64_t> granted;      // so many in all may be packed unasked
  Relaxed<float> saved_ns;            // what the engine would have saved in its messages
  Relaxed<float> saved_in_copies_ns;  // and by contiguous copies
  Relaxed<CommitSite> committed_at;
  Relaxed<std::uint8_t> site;         // of its commit (site_history.h)
  Relaxed<bool> is_watched;           // its second pack is timed (site_history.h)
  Relaxed<bool> is_for_engine;        // its next pack hands it over
  Relaxed<bool> is_on_book;           // it was handed over, or read for its messages
  Relaxed<bool> is_left_in_messages;  // it is read for them, or never will be
  Relaxed<bool> is_left_in_copies;    // it was read for contiguous copies, or never will be
  Relaxed<bool> is_described;         // counted among the types of its layout
  Relaxed<std::uint8_t> sizes_asked;  // so many messages of it asked for its size
  Relaxed<std::uint64_t> size;        // as the first one learned it; not where several threads may be in MPI at once
  // Some thread may have kept the size of a type of this place since the last one ended (forget_traffic_type()). Not
  // begun anew with a type: another one of the place may be alive.
  Relaxed<bool> has_kept_sizes;
  Relaxed<std::uint32_t> pushed_out;  // types that lost this place to others, and are alive

  bool is_of(std::uint64_t a_key) const { return key.load(std::memory_order_acquire) == a_key + 1; }
  SiteHistory& history() const { return site_histories[site]; }

  // A type is committed: what was known of its handle is of another type. `is_automatic`: the host may pack it first.
  void begin(std::uint64_t its_key, std::uint8_t its_site, bool on_book, bool is_automatic) {
    if (!on_book && is_automatic && begin_unlooked(its_key, its_site)) return;
    SiteHistory& place = site_histories[its_site];
    if (on_book) place.count_one();
    const SiteHistory::Start start = on_book ? SiteHistory::Start{true, false} : place.start_of_next();
    const bool begins_with_host = is_automatic && !start.with_engine;
    begin_as(its_key, its_site, start,
             !begins_with_host  ? 0
             : start.is_watched ? 1
                                : place.bytes_until_read(),
             on_book);
  }
  // The same where the place grants a type that is not looked at; false, and nothing is done, elsewhere.
  [[gnu::always_inline]] bool begin_unlooked(std::uint64_t its_key, std::uint8_t its_site) {
    const std::int64_t grant = site_histories[its_site].grant_of_next();
    if (grant != 0) begin_as(its_key, its_site, {false, false}, grant, false);
    return grant != 0;
  }
  void forget() { key.store(0, std::memory_order_relaxed); }

  // True if another type is or was here, so that counting needs more than begin().
  bool is_taken() const { return (key.load(std::memory_order_relaxed) | pushed_out) != 0; }

  bool may_pass_on() const { return packed < granted; }

  // Asked at a pack that is not passed on unasked: whether the type goes to the engine now. reading(): the ns that
  // reading it takes, as far as its constructor tells; asked once the host has packed it for long.
  template <class Reading>
  bool goes_to_engine(Reading reading) const {
    return is_for_engine || (!is_to_be_timed() && packed >= bytes_until_read(reading));
  }
  // Asked of a type that goes to the engine at once and cannot have a first program. If reading it does not pay, it
  // begins with the host.
  bool is_to_be_read_at_once() { return is_for_engine = is_watched = history().pays_to_read_instead(); }
  // The host's coming pack.
  bool is_to_be_timed() const { return packed > 0 && (is_watched || !history().knows_host()); }
  // The host packed `bytes`, in `ns` if that was timed.
  template <class Reading>
  void host_packed(std::int64_t bytes, std::int64_t ns, bool is_automatic, Reading reading) {
    SiteHistory& place = history();
    packed += bytes;
    if (ns > 0) {
      place.host_took(bytes, ns);
      if (is_watched) is_watched = is_for_engine = place.pays_to_hand_over();
    }
    if (is_automatic && !is_for_engine && !is_to_be_timed()) granted = bytes_until_read(reading);
  }
  // From now on the host packs it no more, or only as another book says.
  void leaves_host() {
    granted = 0;
    is_on_book = true;
  }
  [[gnu::always_inline]] bool is_unused() const {
    return key.load(std::memory_order_acquire) != 0 && packed == 0 && !is_on_book && !is_left_in_messages &&
           saved_ns == 0 && saved_in_copies_ns == 0;
  }

  // It is in a message of so many bytes. True if reading it for its messages mostly pays at its place, or would have
  // paid by now.
  [[gnu::always_inline]] bool travels(std::int64_t bytes) {
    const SiteHistory& place = history();
    const float saved = saved_ns += ns_saved_in_message(bytes, place.ns_of_a_kib());
    return place.pays_in_messages() || saved >= place.reading_ns();
  }

  // It is freed, and was not handed over: the place learns from its life. `at_commit`: types are read for their
  // messages at their commit, or never.
  void ended(bool at_commit) const {
    SiteHistory& place = history();
    if (packed > 0) place.ended_after_packs(packed);
    if (!is_left_in_messages && (saved_ns > 0 || at_commit)) place.ended_after_messages(saved_ns, place.reading_ns());
  }
  // True if its place learns nothing from its end.
  [[gnu::always_inline]] bool teaches_nothing(bool at_commit) const {
    const float saved = saved_ns;
    const SiteHistory& place = history();
    return packed == 0 && ((saved == 0 && !at_commit) || !place.is_new_in_messages(saved, place.reading_ns()));
  }

 private:
  [[gnu::always_inline]] void begin_as(std::uint64_t its_key, std::uint8_t its_site, SiteHistory::Start start,
                                       std::int64_t grant, bool on_book) {
    packed = 0;
    granted = grant;
    saved_ns = saved_in_copies_ns = 0;
    committed_at = 0;
    site = its_site;
    is_watched = start.is_watched;
    is_for_engine = start.with_engine;
    is_on_book = on_book;
    is_left_in_messages = is_left_in_copies = is_described = false;
    sizes_asked = 0;
    key.store(its_key + 1, std::memory_order_release);
  }
  template <class Reading>
  std::int64_t bytes_until_read(Reading reading) const {
    const std::int64_t bytes = history().bytes_until_read();
    return packed < bytes ? bytes : history().bytes_until_read(reading());
  }
};
static_assert(sizeof(UnreadType) == 64, "one line of the caches");

namespace books {

inline constinit FixedTable<UnreadType, 4096> unread_types;  // separate, so that only the places in use take memory

// The place where a type of this key is or comes; another type may have it.
inline UnreadType& unread_place_of(std::uint64_t key) { return unread_types.home(key); }
// Null where it is unseen.
inline UnreadType* find_unread(std::uint64_t key) {
  UnreadType& place = unread_place_of(key);
  return place.is_of(key) ? &place : nullptr;
}

// A type ends, whose size a message may have asked for: threads that kept it look it up again.
[[gnu::always_inline]] inline void forget_traffic_type(std::uint64_t key) {
  UnreadType& place = unread_place_of(key);
  if (!place.has_kept_sizes) return;
  place.has_kept_sizes = false;
  traffic_types_departures.fetch_add(1, std::memory_order_release);
}

// How many types of each place that commits them are alive. Where several threads may be in MPI at once,
// object_place.h counts them. Else the place's history does, and the type's place among the unread types names it. So
// a commit and an end take a few instructions more.

// The types that were committed where several threads may be in MPI at once, and duplicates.
inline constinit AliveObjects alive_types;
inline constinit Relaxed<bool> any_alive_types;      // of these
bool leave_alive_types(std::uint64_t key) noexcept;  // true if it was one
void count_type(const char* call, const void* caller, std::uint64_t key) noexcept;

// True for a duplicate that is alive. Where threads may share objects, all types are among those, and histories count
// for nothing.
inline bool is_among_alive(std::uint64_t key) noexcept {
  return any_alive_types && !objects_are_shared && alive_types.has(key);
}

// As type.begin(), of a type whose place among the unread types is another's, or that has lost it to another, or that
// is alive already: a duplicate, which is committed too.
void begin_apart(UnreadType& type, std::uint64_t key, std::uint8_t site, bool on_book, bool is_automatic) noexcept;

// A type ends whose place among the unread types is another's, or that has none.
void end_apart(std::uint64_t key) noexcept;

// The type of this place ends.
[[gnu::always_inline]] inline void count_end(const UnreadType& type, std::uint64_t key) noexcept {
  if (any_alive_types) [[unlikely]]
    if (leave_alive_types(key)) return;
  type.history().count_end();
}

}  // namespace books
}  // namespace marshal
