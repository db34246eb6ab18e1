// The types that are not read, by handle, in a table of fixed size without a lock. A newer type may push out an older
// one, since a program may commit a million and pack none. The host may pack a granted number of bytes before anybody
// looks at the type again, so a pack by the host costs one subtraction here.
//
// Thread safe: two threads at the same moment may lose an observation, or what the host has packed of a type.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "callsites/commit_sites.h"
#include "types/site_history.h"

namespace marshal {

struct alignas(64) UnreadType {
  std::atomic<std::uint64_t> key{0};  // the handle's key plus one; 0: free
  // Bytes that the host may pack unasked, and those that it ever could: the difference is what it has packed.
  std::atomic<std::int64_t> left{0}, granted{0};
  std::atomic<float> saved_ns{0};  // what the engine would have saved in its messages
  std::atomic<CommitSite> committed_at{0};
  std::atomic<std::uint8_t> site{0};  // of its commit (site_history.h)
  enum class Watch : std::uint8_t { none, host, engine };
  std::atomic<Watch> watch{Watch::none};         // whose second pack is timed
  std::atomic<bool> is_for_engine{false};        // its next pack hands it over
  std::atomic<bool> is_on_book{false};           // it was handed over, or read for its messages
  std::atomic<bool> is_left_in_messages{false};  // it is read for them, or never will be
  std::atomic<bool> is_described{false};         // counted among the types of its layout

  bool is_of(std::uint64_t a_key) const { return key.load(std::memory_order_acquire) == a_key + 1; }
  SiteHistory& history() const { return site_histories[site.load(std::memory_order_relaxed)]; }
  bool is_watched(Watch side) const { return watch.load(std::memory_order_relaxed) == side; }

  // A type is committed: what was known of its handle is of another type. `is_automatic`: the host may pack it first.
  void begin(std::uint64_t its_key, std::uint8_t its_site, bool on_book, bool is_automatic) {
    using Start = SiteHistory::Start;
    SiteHistory& its_history = site_histories[its_site];
    const Start start = on_book ? Start::with_engine : its_history.start_of_next();
    const bool by_host = is_automatic && start != Start::with_engine;
    grant_first(!by_host ? 0 : start == Start::watched ? 1 : its_history.bytes_in(its_history.ns_until_read()));
    saved_ns.store(0, std::memory_order_relaxed);
    committed_at.store(0, std::memory_order_relaxed);
    site.store(its_site, std::memory_order_relaxed);
    watch.store(start == Start::watched                                     ? Watch::host
                : start == Start::with_engine && its_history.times_engine() ? Watch::engine
                                                                            : Watch::none,
                std::memory_order_relaxed);
    is_for_engine.store(start == Start::with_engine, std::memory_order_relaxed);
    is_on_book.store(on_book, std::memory_order_relaxed);
    is_left_in_messages.store(false, std::memory_order_relaxed);
    is_described.store(false, std::memory_order_relaxed);
    key.store(its_key + 1, std::memory_order_release);
  }

  bool may_pass_on() const { return left.load(std::memory_order_relaxed) > 0; }
  void passed_on(std::int64_t bytes) {
    left.store(left.load(std::memory_order_relaxed) - bytes, std::memory_order_relaxed);
  }
  std::int64_t packed() const { return granted.load(std::memory_order_relaxed) - left.load(std::memory_order_relaxed); }

  // Asked at a pack that is not passed on unasked: whether the type goes to the engine now. reading(): the ns that
  // reading it takes, as far as its constructor tells; asked once the host has packed it for long.
  template <class Reading>
  bool goes_to_engine(Reading reading) {
    if (is_for_engine.load(std::memory_order_relaxed)) return true;
    const SiteHistory& place = history();
    if (is_to_be_timed() || place.ns_by_host(packed()) < place.ns_until_read()) return false;
    return place.ns_by_host(packed()) >= place.ns_until_read(reading());
  }
  // Asked of a type that goes to the engine at once and cannot have a first program. If reading it does not pay, it
  // begins with the host.
  bool is_to_be_read_at_once() {
    history().had_no_first_program();
    if (history().pays_to_read()) return true;
    is_for_engine.store(false, std::memory_order_relaxed);
    return false;
  }
  // The host's coming pack.
  bool is_to_be_timed() const { return packed() > 0 && (is_watched(Watch::host) || !history().knows_host()); }
  // The host packed `bytes`, in `ns` if that was timed.
  template <class Reading>
  void host_packed(std::int64_t bytes, std::int64_t ns, bool is_automatic, Reading reading) {
    SiteHistory& place = history();
    passed_on(bytes);
    if (ns > 0) {
      place.host_took(bytes, ns);
      if (is_watched(Watch::host)) {
        watch.store(Watch::engine, std::memory_order_relaxed);
        if (place.pays_to_hand_over()) is_for_engine.store(true, std::memory_order_relaxed);
      }
    }
    if (!is_automatic || is_for_engine.load(std::memory_order_relaxed) || is_to_be_timed()) return;
    float until = place.ns_until_read();
    if (place.ns_by_host(packed()) >= until) until = place.ns_until_read(reading());
    grant_until(place.bytes_in(until));
  }
  // From now on the host packs it no more, or only as another book says.
  void leaves_host() {
    grant_until(packed());
    is_on_book.store(true, std::memory_order_relaxed);
  }

  // The engine would save `ns` of a message. Returns the sum so far.
  float add_saved(float ns) {
    const float sum = saved_ns.load(std::memory_order_relaxed) + ns;
    saved_ns.store(sum, std::memory_order_relaxed);
    return sum;
  }
  bool is_unused() const {
    return packed() == 0 && !is_on_book.load(std::memory_order_relaxed) &&
           !is_left_in_messages.load(std::memory_order_relaxed) && saved_ns.load(std::memory_order_relaxed) == 0;
  }

  // It is freed, and was not handed over: the place learns from its life. `at_commit`: types are read for their
  // messages at their commit, or never.
  void ended(bool at_commit) const {
    SiteHistory& place = history();
    if (const std::int64_t bytes = packed(); bytes > 0) place.ended_after_packs(bytes);
    const float saved = saved_ns.load(std::memory_order_relaxed);
    if (is_left_in_messages.load(std::memory_order_relaxed)) return;
    if (saved > 0 || at_commit) place.ended_after_messages(saved, place.reading_ns());
  }

 private:
  void grant_first(std::int64_t bytes) {
    left.store(bytes, std::memory_order_relaxed);
    granted.store(bytes, std::memory_order_relaxed);
  }
  // So many in all.
  void grant_until(std::int64_t bytes) {
    left.store(bytes - packed(), std::memory_order_relaxed);
    granted.store(bytes, std::memory_order_relaxed);
  }
};
static_assert(sizeof(UnreadType) == 64, "one line of the caches");

class UnreadTypes {
 public:
  // The place where a type of this key is or comes; another type may have it.
  UnreadType& place_of(std::uint64_t key) { return places_[(key * 0x9E3779B97F4A7C15ULL) >> (64 - 12)]; }
  // Null where it is unseen.
  UnreadType* find(std::uint64_t key) {
    UnreadType& place = place_of(key);
    return place.is_of(key) ? &place : nullptr;
  }
  void forget(UnreadType& type) { type.key.store(0, std::memory_order_relaxed); }
  // visit(type) for all in the table.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const UnreadType& type : places_)
      if (type.key.load(std::memory_order_acquire) != 0) visit(type);
  }

 private:
  std::array<UnreadType, 4096> places_;
};

namespace books {
inline constinit UnreadTypes unread_types;  // separate, so that only the places in use take memory
}

}  // namespace marshal
