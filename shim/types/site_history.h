// How the datatypes live that one place of the program commits, and what the engine gains with them. Programs make
// types in loops, and the types of a place live alike. So each type that ends teaches whether the next one goes to the
// engine at once. Otherwise it waits until the host has packed it for ten times as long as reading takes.
//
// Thread safe without locks: two threads at the same moment may lose one observation.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace marshal {

// The ns that the engine usually saves of 1024 bytes in a message. Measured on an EPYC, of blocks of 12 bytes.
inline constexpr float usual_ns_saved_of_a_kib = 256;

// A mean in which the last few values count most.
class MovingMean {
 public:
  explicit constexpr MovingMean(float at_first) : mean_(at_first) {}

  operator float() const { return mean_.load(std::memory_order_relaxed); }
  void learn(float now, float most) {
    const float before = *this;
    const float after = before + (std::min(now, most) - before) / 4;
    mean_.store(after < negligible ? 0 : after, std::memory_order_relaxed);
  }
  // A time, which may have been disturbed: it counts as at most twice the mean. 0: nothing is known yet.
  void learn_time(float now) {
    const float before = *this;
    if (before == 0 || before == std::numeric_limits<float>::infinity())
      mean_.store(now, std::memory_order_relaxed);
    else
      learn(now, 2 * before);
  }
  void set(float now) { mean_.store(now, std::memory_order_relaxed); }

 private:
  // Without it a mean of zeros would end in an underflow, for which a program may have a trap.
  static constexpr float negligible = 1e-6F;
  std::atomic<float> mean_;
};

class SiteHistory {
 public:
  // A type that begins with the host is read once the host has packed it for this many times as long as reading takes.
  // If it is freed right then, it has lost a tenth. It waits longer where the engine is as slow as the host.
  static constexpr float patient = 10, very_patient = 100;

  bool is_unseen() const { return types_.load(std::memory_order_relaxed) == 0; }
  // True for a place whose first types are still to come: their call sites are looked at.
  bool is_new() const { return types_.load(std::memory_order_relaxed) < first_types; }

  // The host packs a watched type twice in any case, and its second pack is timed. (The first one finds cold caches.)
  enum class Start : std::uint8_t { watched, with_engine, with_host };
  // Call it once for each type that is committed.
  Start start_of_next() {
    const std::uint32_t before = types_.load(std::memory_order_relaxed);
    types_.store(before + 1, std::memory_order_relaxed);
    // The engine's time may have been disturbed, or of one layout that is slow.
    if (before % forgotten_after == forgotten_after - 1 && !pays_to_hand_over()) engine_rate_.set(0);
    if (before < first_types || before % watched_of == 0) return Start::watched;
    return pays_to_hand_over() ? Start::with_engine : Start::with_host;
  }
  // True if the second pack of a type that begins with the engine is to be timed.
  bool times_engine() const {
    return engine_rate_ == 0 || types_.load(std::memory_order_relaxed) % watched_of == watched_of / 2;
  }

  // True if the types of the place mostly save what handing them to the engine costs, and a margin.
  bool pays_to_hand_over() const { return saved_in_packs_ > margin * handing_ns_; }
  // The same, for a type that cannot have a first program (datatype/first_program.h): it must be read.
  bool pays_to_read() const { return saved_in_packs_ > margin * reading_ns_; }
  void had_no_first_program() { handing_ns_.learn_time(reading_ns_); }

  // Bytes that the host packs in that time, at least 1.
  std::int64_t bytes_in(float ns) const {
    return host_rate_ > 0 ? static_cast<std::int64_t>(std::max(ns / host_rate_, 1.0F)) : 1;
  }
  bool knows_host() const { return host_rate_ > 0; }
  float ns_by_host(std::int64_t bytes) const { return static_cast<float>(bytes) * host_rate_; }
  // The ns by the host after which a type is read, where reading takes at least `reading` ns.
  float ns_until_read(float reading = 0) const {
    return (engine_rate_ > as_slow * host_rate_ ? very_patient : patient) * std::max<float>(reading, reading_ns_);
  }

  // The host took so long for a warm pack.
  void host_took(std::int64_t bytes, std::int64_t ns) {
    host_rate_.learn_time(rate_of(bytes, ns));
    // Until one was timed: of a first program.
    if (handing_ns_ == 0) handing_ns_.set(1000 + static_cast<float>(bytes) / 4);
  }
  void engine_took(std::int64_t bytes, std::int64_t ns) { engine_rate_.learn_time(rate_of(bytes, ns)); }
  // A type cannot be handed over. Where none was, the next ones are not tried for a while.
  void engine_cannot() {
    if (engine_rate_ == 0) engine_rate_.set(std::numeric_limits<float>::infinity());
    ended_after_packs(0);
  }
  void reading_took(std::int64_t ns) { reading_ns_.learn_time(static_cast<float>(ns)); }
  // To make a first program at the first pack, or to read the type then. (To end its entry takes time, too.)
  void handing_over_took(std::int64_t ns) { handing_ns_.learn_time(static_cast<float>(ns) + 400); }

  // A type ended of which so many bytes were packed. An engine that was never timed counts as infinitely fast: some
  // types are handed to it, and their second packs are timed.
  void ended_after_packs(std::int64_t bytes) {
    if (!knows_host()) return;
    saved_in_packs_.learn(
        static_cast<float>(std::max<std::int64_t>(bytes, 0)) * std::max(host_rate_ - engine_rate_, 0.0F),
        most_worth * handing_ns_);
  }

  // True if reading a type for its messages mostly pays. One type is believed to.
  bool pays_in_messages() const { return worth_of_messages_ > 1; }
  float reading_ns() const { return reading_ns_; }
  // The ns that the engine saves of 1024 bytes in a message (layouts.h).
  float ns_of_a_kib() const { return ns_of_a_kib_; }
  // A type ended for which the engine saved so much in messages, or would have saved.
  void ended_after_messages(float saved_ns, float reading) {
    worth_of_messages_.learn(saved_ns / std::max(reading, 1.0F), most_worth);
  }
  void learn_ns_of_a_kib(float ns) { ns_of_a_kib_.learn(ns, most_ns_of_a_kib); }

 private:
  static constexpr std::uint32_t first_types = 8, watched_of = 16, forgotten_after = 1024;
  // A type must save this multiple of what it costs, as it may be the last of its kind.
  static constexpr float margin = 1.25F;
  // One long life counts no more than this multiple: the next type may live briefly.
  static constexpr float most_worth = 4;
  // An engine that takes this part of the host's time gains nothing.
  static constexpr float as_slow = 0.95F;
  static constexpr float most_ns_of_a_kib = 3072;  // of single bytes

  static float rate_of(std::int64_t bytes, std::int64_t ns) {
    constexpr std::int64_t slowest = 4, any_call = 400;  // ns a byte, ns: a longer time was disturbed
    bytes = std::max<std::int64_t>(bytes, 1);
    return static_cast<float>(std::clamp<std::int64_t>(ns, 1, any_call + slowest * bytes)) / static_cast<float>(bytes);
  }

  std::atomic<std::uint32_t> types_{0};
  MovingMean host_rate_{0}, engine_rate_{0};  // ns a byte of a pack; 0: not known
  MovingMean reading_ns_{4000}, handing_ns_{0};
  MovingMean saved_in_packs_{0};          // ns, of a type
  MovingMean worth_of_messages_{margin};  // what a type saves, as a multiple of what reading it takes
  MovingMean ns_of_a_kib_{usual_ns_saved_of_a_kib};
};

// By the number of a place. Places that share a number share their luck.
class SiteHistories {
 public:
  static std::uint8_t number_of(const void* caller) {
    const auto at = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(caller));
    return static_cast<std::uint8_t>((at * 0x9E3779B97F4A7C15ULL) >> 56);
  }
  SiteHistory& operator[](std::uint8_t number) { return all_[number]; }

 private:
  std::array<SiteHistory, 256> all_{};
};

inline constinit SiteHistories site_histories;

}  // namespace marshal
