// How the datatypes live that one place of the program commits, and what the engine gains with them. Programs make
// types in loops, and the types of a place live alike. So each type that ends teaches whether the next one goes to the
// engine at once. Otherwise it waits until the host has packed it for ten times as long as reading takes.
//
// Most places gain nothing. There a type that is committed, used once and freed costs a few additions: programs make
// such types for each access.
//
// Thread safe without locks: two threads at the same moment may lose one observation.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/fixed_table.h"
#include "base/relaxed.h"
#include "host/host_family.h"
#include "types/priors.h"

namespace marshal {

// A mean in which the last few values count most.
class MovingMean : public Relaxed<float> {
 public:
  using Relaxed<float>::Relaxed, Relaxed<float>::operator=;

  void learn(float now, float most) {
    const float before = *this, after = before + (std::min(now, most) - before) / 4;
    *this = after < negligible ? 0 : after;
  }
  // A time, which may have been disturbed: it counts as at most twice the mean. 0: nothing is known yet.
  void learn_time(float now) {
    if (*this == 0 || *this == std::numeric_limits<float>::infinity())
      *this = now;
    else
      learn(now, 2 * *this);
  }

 private:
  // Without it a mean of zeros would end in an underflow, for which a program may have a trap.
  static constexpr float negligible = 1e-6F;
};

class alignas(64) SiteHistory {
 public:
  // The place's return address in the program; null: the history is nobody's yet.
  const void* caller() const { return caller_.load(std::memory_order_acquire); }
  bool is_of(const void* caller) const { return caller_.load(std::memory_order_relaxed) == caller; }
  void begin(const void* caller) { caller_.store(caller, std::memory_order_release); }

  // The types of the place: how many began, are alive, and were alive at once. Not where several threads may be in MPI
  // at once (unread_types.h).
  std::uint64_t types() const { return types_ - elsewhere_; }
  std::uint64_t alive() const { return types() - std::min<std::uint64_t>(types(), ended_); }
  std::uint64_t most_alive() const { return std::max<std::uint64_t>(most_alive_, alive()); }
  void count_one() { types_ += 1; }
  [[gnu::always_inline]] void count_end() {
    const std::uint64_t ended = ended_, most = most_alive_, alive = types_ - elsewhere_ - ended;
    if (static_cast<std::int64_t>(alive) > static_cast<std::int64_t>(most)) most_alive_ = alive;
    ended_ = ended + 1;
  }
  // The type that began is counted already.
  void counts_elsewhere() { elsewhere_ += 1; }

  bool is_unseen() const { return types_ == 0; }
  // True for a place whose first types are still to come: their call sites are looked at.
  bool is_new() const { return types_ < first_types; }

  // Once fifty types or so were not worth handing over, one in sixteen is looked at. Of the others: the bytes that the
  // host may pack unasked. 0 where the type that is committed is to be looked at: then it is not counted yet.
  [[gnu::always_inline]] std::int64_t grant_of_next() {
    const std::uint64_t before = types_;
    const std::int64_t grant = grant_;
    if (grant == 0 || before % watched_of == 0) return 0;
    types_ = before + 1;
    return grant;
  }

  // `is_watched`: the second pack of the type is timed, by the engine or by the host. (The first one finds cold
  // caches.)
  struct Start {
    bool with_engine, is_watched;
  };
  // Of a type that is committed and looked at.
  Start start_of_next() {
    const std::uint64_t before = types_;
    types_ = before + 1;
    if (before >= first_types && before % watched_of == 0) look_back(before);
    if (before < first_types || before % watched_of == 0) return {false, true};
    if (!pays_to_hand_over()) return {false, false};
    return {true, engine_rate_ == 0 || before % watched_of == watched_of / 2};
  }

  // True if the types of the place mostly save what handing them to the engine costs, and a margin.
  bool pays_to_hand_over() const { return saved_in_packs_ > margin * handing_ns_; }
  // The same, once a type turns out to have no first program (datatype/first_program.h): it must be read.
  bool pays_to_read_instead() {
    handing_ns_.learn_time(reading_ns_);
    return saved_in_packs_ > margin * reading_ns_;
  }

  bool knows_host() const { return host_rate_ > 0; }
  // The host packs so many bytes before a type is read; 1 if its speed is not known. Reading takes `reading` ns or
  // more.
  std::int64_t bytes_until_read(float reading = 0) const {
    if (!knows_host()) return 1;
    const float times = engine_rate_ > as_slow * host_rate_ ? very_patient : patient;
    return static_cast<std::int64_t>(std::max(times * std::max<float>(reading, reading_ns_) / host_rate_, 1.0F));
  }

  // The host took so long for a warm pack.
  void host_took(std::int64_t bytes, std::int64_t ns) {
    host_rate_.learn_time(rate_of(bytes, ns));
    // Until one was timed: of a first program.
    if (handing_ns_ == 0) handing_ns_ = priors::ns_of_first_program(bytes);
  }
  void engine_took(std::int64_t bytes, std::int64_t ns) {
    if (bytes > 0) engine_rate_.learn_time(rate_of(bytes, ns));
  }
  // A type cannot be handed over. Where none was, the next ones are not tried for a while.
  void engine_cannot() {
    if (engine_rate_ == 0) engine_rate_ = std::numeric_limits<float>::infinity();
    ended_after_packs(0);
  }
  void reading_took(std::int64_t ns) { reading_ns_.learn_time(static_cast<float>(ns)); }
  // To make a first program at the first pack, or to read the type then.
  void handing_over_took(std::int64_t ns) { handing_ns_.learn_time(static_cast<float>(ns) + priors::ns_of_ending); }

  // A type ended of which so many bytes were packed. An engine that was never timed counts as infinitely fast: some
  // types are handed to it, and their second packs are timed.
  void ended_after_packs(std::int64_t bytes) {
    if (!knows_host()) return;
    const float of_a_byte = std::max(host_rate_ - engine_rate_, 0.0F);
    saved_in_packs_.learn(static_cast<float>(std::max<std::int64_t>(bytes, 0)) * of_a_byte, most_worth * handing_ns_);
    if (pays_to_hand_over()) grant_ = 0;
  }

  // True if reading a type for its messages mostly pays, with the same margin. One type is believed to.
  bool pays_in_messages() const { return worth_of_messages_ > margin; }
  float reading_ns() const { return reading_ns_; }
  // The ns that the engine saves of 1024 bytes in a message (layouts.h).
  float ns_of_a_kib() const { return ns_of_a_kib_; }
  // A type ended for which the engine saved so much in messages, or would have saved.
  void ended_after_messages(float saved_ns, float reading) {
    if (is_new_in_messages(saved_ns, reading)) worth_of_messages_.learn(saved_ns / std::max(reading, 1.0F), most_worth);
  }
  // Where next to nothing is gained, one more such type says nothing new.
  bool is_new_in_messages(float saved_ns, float reading) const {
    return worth_of_messages_ > next_to_nothing || saved_ns > next_to_nothing * reading;
  }
  void learn_ns_of_a_kib(float ns) { ns_of_a_kib_.learn(ns, priors::most_ns_saved_of_a_kib); }

 private:
  // A type that is freed right when it is read has lost a tenth. It waits longer if the engine is as slow as the host.
  static constexpr float patient = 10, very_patient = 100;
  static constexpr std::uint32_t first_types = 8, watched_of = 16, known_after = 48, forgotten_after = 1024;
  // A type must save this multiple of what it costs, as it may be the last of its kind.
  static constexpr float margin = 1.25F;
  // One long life counts no more than this multiple: the next type may live briefly.
  static constexpr float most_worth = 4;
  // An engine that takes this part of the host's time gains nothing.
  static constexpr float as_slow = 0.95F;
  static constexpr float next_to_nothing = 0.125F;

  static float rate_of(std::int64_t bytes, std::int64_t ns) {
    constexpr std::int64_t slowest = 4, any_call = 400;  // ns a byte, ns: a longer time was disturbed
    bytes = std::max<std::int64_t>(bytes, 1);
    return static_cast<float>(std::clamp<std::int64_t>(ns, 1, any_call + slowest * bytes)) / static_cast<float>(bytes);
  }

  // Before one type in sixteen.
  void look_back(std::uint64_t types_before) {
    // The engine's time may have been disturbed, or of one layout that is slow.
    if (types_before % forgotten_after == 0 && !pays_to_hand_over()) engine_rate_ = 0;
    grant_ = pays_to_hand_over() || types_before < known_after ? 0 : bytes_until_read();
  }

  std::atomic<const void*> caller_{nullptr};
  Relaxed<std::uint64_t> types_, elsewhere_, ended_, most_alive_;
  Relaxed<std::int64_t> grant_;               // 0: each type is looked at
  MovingMean host_rate_{0}, engine_rate_{0};  // ns a byte of a pack; 0: not known
  MovingMean reading_ns_{priors::ns_of_reading()}, handing_ns_{0};
  MovingMean saved_in_packs_{0};                  // ns, of a type
  MovingMean worth_of_messages_{1.25F * margin};  // what a type saves, as a multiple of what reading it takes
  MovingMean ns_of_a_kib_{priors::ns_saved_of_a_kib(Way::in_place)};
};

// Number 0 is for types that were not seen being committed, and for places that found no number left.
inline constinit std::array<SiteHistory, 256> site_histories{};
inline std::size_t home_of_place(const void* caller) {
  const std::size_t home = spread(reinterpret_cast<std::uintptr_t>(caller), 8);
  return home + (home == 0 ? 1 : 0);
}
// Where another place has that number.
std::uint8_t other_number_of_place(const void* caller) noexcept;
// The number of the place that calls there.
[[gnu::always_inline]] inline std::uint8_t number_of_place(const void* caller) {
  const std::size_t home = home_of_place(caller);
  return site_histories[home].is_of(caller) ? static_cast<std::uint8_t>(home) : other_number_of_place(caller);
}

// True while the engine is in the host's messages: from MPI_Init to MPI_Finalize, where the host allows it.
inline constinit Relaxed<bool> messages_are_seen;

// Estimates the ns that the engine saves on one side of a message: the same of all that travel in one piece on MPICH;
// else it grows with the bytes.
[[gnu::always_inline]] inline float ns_saved_in_message(std::int64_t bytes, float ns_of_a_kib) {
  const bool is_short = !is_open_mpi() && bytes <= priors::longest_piece_on_ucx;
  return is_short ? priors::ns_saved_of_a_piece : static_cast<float>(bytes) / 1024 * ns_of_a_kib;
}

// A type that was read for its messages: what that took, and what the engine has saved since. Messages under way may
// outlive the type.
class MessageLife {
 public:
  // `read_ns`: from the message that found it time to the entry that the type has.
  MessageLife(SiteHistory& place, float ns_of_a_kib, std::int64_t read_ns)
      : place_(place), ns_of_a_kib_(ns_of_a_kib), read_ns_(static_cast<float>(read_ns) + priors::ns_of_ending) {}

  // Called for what the engine moves: on MPICH a whole message, on Open MPI a part.
  [[gnu::always_inline]] void moved(std::int64_t bytes) { saved_ns_ += ns_saved_in_message(bytes, ns_of_a_kib_); }
  // Called once: the type is destroyed, or the engine does not take it.
  void ended() const {
    place_.learn_ns_of_a_kib(saved_ns_ > 0 ? ns_of_a_kib_ : 0);
    place_.ended_after_messages(saved_ns_, read_ns_);
  }

 private:
  SiteHistory& place_;
  const float ns_of_a_kib_, read_ns_;
  Relaxed<float> saved_ns_;
};

}  // namespace marshal
