// The types that are not read, by handle, in a table of fixed size without a lock. A newer type may push out an older
// one, since a program may commit a million and pack none. Programs also make types, pack them a few times and free
// them in loops. So a pack by the host costs one subtraction here: the host may pack a granted number of bytes before
// anybody looks at the type again.
//
// Thread safe: two threads at the same moment may lose one observation.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "types/type_lives.h"

namespace marshal {

enum class TypeState : std::uint8_t {
  unseen,         // not on the book
  committed,      // not packed yet
  counted,        // the host packs it; the time that this takes counts
  waited_for,     // the same, and it is known from what time on it is worth reading
  worth_reading,  // the next call reads it
  read,           // the engine packs it
  left_to_host    // it cannot be read: the host packs it for good
};

class UnreadTypes {
 public:
  // Which pack by the host is timed: none more, the second one, or the next one.
  enum class Timing : std::uint8_t { none, second, next };

  struct alignas(64) Place {
    std::atomic<std::uint64_t> key{0};              // the handle's key plus one; 0: free
    std::atomic<std::int64_t> left{0}, granted{0};  // bytes that the host may pack unasked; what they were at first
    std::atomic<std::int64_t> host_ns{0};           // that the host has taken to pack it, measured or estimated
    std::atomic<std::int64_t> size_plus_one{0};     // of an instance; 0: not known yet
    std::atomic<TypeLives*> lives{nullptr};         // of types like it; null before its first pack
    std::atomic<float> ns_per_byte{0};              // of a pack by the host; 0: none was timed
    std::atomic<float> read_at{0};                  // waited for: from so many ns on it is read
    std::atomic<std::uint16_t> kind{0};             // the number of its kind (committed_kinds.h); 0: not counted there
    std::atomic<TypeState> state{TypeState::unseen};
    std::atomic<std::uint8_t> committed_in{0};  // the place of the program (message_sites.h)
    std::atomic<Timing> timing{Timing::none};
    std::atomic<std::uint8_t> messages{0};  // of the host in which it was, counted; or `not_asked`
    std::atomic<bool> described{false};     // counted among the types of its layout

    // Moves it from state `from` to `to`; false if it was not in `from`.
    bool passes(TypeState from, TypeState to) {
      return state.load(std::memory_order_relaxed) == from &&
             state.compare_exchange_strong(from, to, std::memory_order_relaxed);
    }
    bool is_of(std::uint64_t a_key) const { return key.load(std::memory_order_acquire) == a_key + 1; }
    // A type is committed: what was known of its handle is of another type.
    void begin(std::uint64_t its_key, TypeState its_state, std::size_t its_site, std::int64_t its_grant) {
      grant(its_grant);
      size_plus_one.store(0, std::memory_order_relaxed);
      lives.store(nullptr, std::memory_order_relaxed);
      kind.store(0, std::memory_order_relaxed);
      state.store(its_state, std::memory_order_relaxed);
      committed_in.store(static_cast<std::uint8_t>(its_site), std::memory_order_relaxed);
      messages.store(0, std::memory_order_relaxed);
      described.store(false, std::memory_order_relaxed);
      key.store(its_key + 1, std::memory_order_release);
    }
    bool is_counted() const {
      const TypeState now = state.load(std::memory_order_relaxed);
      return now == TypeState::counted || now == TypeState::waited_for;
    }
    // `not_asked`: the type is read for its messages, or never will be. Nobody has to ask whether it is worth that.
    static constexpr std::uint8_t not_asked = 255, most_messages = 254;
    bool has_travelled() const { return messages.load(std::memory_order_relaxed) != 0; }
    // Call it at each message. The number of messages so far, at most `most_messages`; 0 if nothing is asked.
    unsigned travels() {
      const std::uint8_t before = messages.load(std::memory_order_relaxed);
      if (before == not_asked) return 0;
      if (before == most_messages) return before;
      messages.store(static_cast<std::uint8_t>(before + 1), std::memory_order_relaxed);
      return before + 1U;
    }
    void ask_no_more() { messages.store(not_asked, std::memory_order_relaxed); }
    bool is_unread() const { return state.load(std::memory_order_relaxed) < TypeState::worth_reading; }
    bool is_of_kind() const { return kind.load(std::memory_order_relaxed) != 0; }
    // The type was packed: its like live so. From now on the host's time counts.
    void begin_life(TypeLives& of_its_like) {
      host_ns.store(0, std::memory_order_relaxed);
      ns_per_byte.store(of_its_like.host_rate(), std::memory_order_relaxed);
      read_at.store(static_cast<float>(of_its_like.read_at()), std::memory_order_relaxed);
      timing.store(of_its_like.is_to_be_timed() ? Timing::second : Timing::none, std::memory_order_relaxed);
      lives.store(&of_its_like, std::memory_order_relaxed);
    }
    // Asked for each pack by the host that is not passed on unasked.
    bool is_to_be_timed() {
      const Timing now = timing.load(std::memory_order_relaxed);
      if (now == Timing::second) timing.store(Timing::next, std::memory_order_relaxed);
      return now == Timing::next;
    }

    void grant(std::int64_t bytes) {
      left.store(bytes, std::memory_order_relaxed);
      granted.store(bytes, std::memory_order_relaxed);
    }
    bool may_pass_on() const { return left.load(std::memory_order_relaxed) > 0; }
    // False once all that was granted is used up.
    bool passed_on(std::int64_t bytes) {
      const std::int64_t now = left.load(std::memory_order_relaxed) - bytes;
      left.store(now, std::memory_order_relaxed);
      return now > 0;
    }
    std::int64_t ns_of_pack(std::int64_t bytes) const {
      const float measured = ns_per_byte.load(std::memory_order_relaxed);
      if (measured > 0) return static_cast<std::int64_t>(static_cast<float>(bytes) * measured);
      return bytes / 16 + 32;
    }
    // The host's time so far, with what it packed unasked.
    std::int64_t ns_by_host() const {
      const std::int64_t unasked = granted.load(std::memory_order_relaxed) - left.load(std::memory_order_relaxed);
      return host_ns.load(std::memory_order_relaxed) + (unasked > 0 ? ns_of_pack(unasked) : 0);
    }
    // From now on every pack asks, until bytes are granted again.
    std::int64_t settle() {
      const std::int64_t ns = ns_by_host();
      host_ns.store(ns, std::memory_order_relaxed);
      grant(0);
      return ns;
    }
  };
  static_assert(sizeof(Place) == 64, "one line of the caches");

  // The place where a type of this key is or comes; another type may have it.
  Place& place_of(std::uint64_t key) { return places_[(key * 0x9E3779B97F4A7C15ULL) >> (64 - 12)]; }
  Place& begin(std::uint64_t key, TypeState state, std::size_t committed_in, std::int64_t granted) {
    Place& place = place_of(key);
    place.begin(key, state, committed_in, granted);
    return place;
  }
  // The place of a type, counted if it is new here.
  Place& enter(std::uint64_t key) {
    Place& place = place_of(key);
    return place.is_of(key) ? place : begin(key, TypeState::counted, 0, 0);
  }
  void forget(Place& place) { place.key.store(0, std::memory_order_relaxed); }
  // visit(place) for all in the table.
  template <class Visit>
  void for_each(Visit visit) {
    for (Place& place : places_)
      if (place.key.load(std::memory_order_acquire) != 0) visit(place);
  }
  // Null where it is unseen.
  Place* find(std::uint64_t key) {
    Place& place = place_of(key);
    return place.is_of(key) ? &place : nullptr;
  }

 private:
  std::array<Place, 4096> places_;
};

namespace books {
inline constinit UnreadTypes unread_types;  // separate, so that only the places in use take memory
}

// How many bytes the host may pack of a type before anybody looks at it, by the place of the program that commits it
// (message_sites.h). Usually it is the first pack. It is nothing where types are read at their first pack. Where types
// were freed before anything could be gained, it is the bytes from which on something is gained. One type in eight then
// gets its first pack only: it tells whether types still live so briefly.
class FirstGrants {
 public:
  std::int64_t of_next(std::size_t place) {
    Place& p = places_[place];
    const std::int64_t grant = p.grant.load(std::memory_order_relaxed);
    if (grant <= one_pack) return grant;
    const unsigned types = p.types.load(std::memory_order_relaxed) + 1;
    p.types.store(types, std::memory_order_relaxed);
    return types % watched_of == 0 ? one_pack : grant;
  }

  void read_first_packs(std::size_t place, bool do_so) { set(places_[place], do_so ? 0 : one_pack); }
  // A type was watched from its first pack, and freed before the host had packed `bytes`: from there on reading it
  // would have paid.
  void lived_briefly(std::size_t place, std::int64_t bytes) {
    Place& p = places_[place];
    const unsigned brief = p.brief.load(std::memory_order_relaxed) + 1;
    p.brief.store(brief, std::memory_order_relaxed);
    if (brief >= enough) p.grant.store(std::max(bytes, one_pack), std::memory_order_relaxed);
  }
  // One lived longer.
  void lived(std::size_t place) {
    if (Place& p = places_[place]; p.grant.load(std::memory_order_relaxed) > one_pack) set(p, one_pack);
  }

 private:
  static constexpr std::int64_t one_pack = 1;  // whatever its size
  static constexpr unsigned watched_of = 8, enough = 4;
  struct Place {
    std::atomic<std::int64_t> grant{one_pack};
    std::atomic<unsigned> types{0}, brief{0};
  };
  static void set(Place& p, std::int64_t grant) {
    p.grant.store(grant, std::memory_order_relaxed);
    p.brief.store(0, std::memory_order_relaxed);
  }

  std::array<Place, 256> places_{};
};

}  // namespace marshal
