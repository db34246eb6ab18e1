// Predicts the lives of types from earlier ones: programs make types in loops, and types of one place and size live
// alike. It learns how long the host packs such a type until it is freed, how long reading takes, and how much faster
// the engine is then. Where reading has paid several times in a row, the next types are read at their first pack.
//
// Thread safe without locks: two threads at the same moment may lose one observation.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace marshal {

// The engine's fastest timed pack of one type: any other may have been disturbed.
class FastestPack {
 public:
  static constexpr int enough = 4, least = 2;  // times: a single one tells nothing

  void took(std::int64_t bytes, std::int64_t ns) {
    if (bytes <= 0) return;
    const float now = rate_of(bytes, ns), before = rate();
    if (before == 0 || now < before) rate_.store(now, std::memory_order_relaxed);
    times_.store(times() + 1, std::memory_order_relaxed);
  }
  int times() const { return times_.load(std::memory_order_relaxed); }
  float rate() const { return rate_.load(std::memory_order_relaxed); }  // ns a byte; 0: none was timed

  static float rate_of(std::int64_t bytes, std::int64_t ns) {
    return static_cast<float>(std::max<std::int64_t>(ns, 1)) / static_cast<float>(bytes);
  }

 private:
  std::atomic<float> rate_{0};
  std::atomic<int> times_{0};
};

class TypeLives {
 public:
  // A type that begins with the host is read once the host has taken this many times as long as reading. If it is freed
  // right then, it has lost a tenth. If the engine was found to be as slow as the host, the type waits ten times
  // longer.
  static constexpr int patient = 10, very_patient = 100;
  int patience() const { return ratio() > as_slow ? very_patient : patient; }

  // The host's ns from which on such a type is read. 0: too few were read to know what that takes.
  std::int64_t read_at() const {
    if (!knows_reading()) return 0;
    const float reading = reading_ns_.load(std::memory_order_relaxed);
    return patience() * static_cast<std::int64_t>(has_first_programs() ? ns_of_first_program(reading) : reading);
  }

  // True if such a type is to get a first program (datatype/first_program.h) instead of being read: several were read,
  // and the engine was faster than the host.
  bool has_first_programs() const {
    return may_have_first_programs() && knows_engine() && knows_reading() && ratio() <= as_slow;
  }
  // The expected cost in ns of handing such a type to the engine: its first program if it can have one, else reading.
  // (`reading`: 0 if it is not known; then the first program counts all the same.) If first programs are possible, this
  // low guess lets some types be read that would not pay for it; they teach how fast the engine is.
  std::int64_t guess(std::int64_t reading, std::int64_t first_program) const {
    return reading != 0 && !may_have_first_programs() ? reading : first_program;
  }
  void first_program_took(std::int64_t ns) { learn(first_program_ns_, static_cast<float>(ns)); }
  // Ask before making one.
  bool is_first_program_to_be_timed() {
    const unsigned before = first_programs_.load(std::memory_order_relaxed);
    first_programs_.store(before + 1, std::memory_order_relaxed);
    return before < least_times || before % timed_of == 0;
  }
  // A type could not have one: nor will the next ones.
  void got_no_first_program() { without_first_.store(looked_again_after, std::memory_order_relaxed); }

  // Ask once for each new type.
  bool is_worth_reading_at_once() {
    const int left = at_once_left_.load(std::memory_order_relaxed);
    if (left == 0) return false;
    at_once_left_.store(left - 1, std::memory_order_relaxed);
    return true;
  }

  bool reads_next_at_once() const { return at_once_left_.load(std::memory_order_relaxed) > 0; }

  // Ask once for each new type: of one in sixteen, the second pack is timed. (The first one finds cold caches.)
  bool is_to_be_timed() {
    const unsigned before = begun_.load(std::memory_order_relaxed);
    begun_.store(before + 1, std::memory_order_relaxed);
    return before % timed_of == 0 || host_rate() == 0;
  }

  // ns a byte of a pack; 0: not known.
  float host_rate() const { return host_rate_.load(std::memory_order_relaxed); }
  void host_took(std::int64_t bytes, std::int64_t ns) {
    if (bytes > 0) learn(host_rate_, FastestPack::rate_of(bytes, ns));
  }
  // Call it when a type is freed that the engine packed.
  void engine_took(const FastestPack& packs) {
    if (packs.times() < FastestPack::least) return;
    learn(engine_rate_, packs.rate());
    engine_types_.store(engine_types_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  // The layout of a single type may be slow or fast for its kind.
  bool knows_engine() const { return engine_types_.load(std::memory_order_relaxed) >= least_times; }
  // The engine cannot pack them.
  void are_left_to_host() {
    engine_rate_.store(std::numeric_limits<float>::infinity(), std::memory_order_relaxed);
    engine_types_.store(least_times, std::memory_order_relaxed);
  }
  void reading_took(std::int64_t ns) {
    learn(reading_ns_, static_cast<float>(ns));
    readings_.store(readings_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // A type that began with the host is freed, or has waited long enough. `host_ns`: the host's time for it. `guess`: as
  // guess(); it counts until enough types like it were read or got a first program.
  void lived(std::int64_t host_ns, std::int64_t guess) {
    if (const int others = without_first_.load(std::memory_order_relaxed); others > 0)
      without_first_.store(others - 1, std::memory_order_relaxed);
    if (!would_have_paid(host_ns, guess)) return in_a_row_.store(0, std::memory_order_relaxed);
    if (!knows_engine() || !knows_reading()) return read_next_to_time_it();
    const int in_a_row = in_a_row_.load(std::memory_order_relaxed) + 1;
    in_a_row_.store(in_a_row % enough, std::memory_order_relaxed);
    if (in_a_row == enough) at_once_left_.store(trusted, std::memory_order_relaxed);
  }

  // The ns of the host from which on it pays to hand such a type to the engine, as far as that is known; `guess` as
  // above.
  std::int64_t pays_from(std::int64_t guess) const {
    const float saved = 1 - std::min(ratio(), as_slow);
    return static_cast<std::int64_t>(paid_by_reading(guess) / saved);
  }

  // A type that was read at once is freed, after so many bytes.
  void lived_read(std::int64_t bytes) {
    const auto host_ns = static_cast<std::int64_t>(static_cast<float>(bytes) * host_rate());
    if (!would_have_paid(host_ns, 0)) at_once_left_.store(0, std::memory_order_relaxed);
  }

 private:
  // False for a while after a type could not have one.
  bool may_have_first_programs() const { return without_first_.load(std::memory_order_relaxed) == 0; }

  // Four types in a row earn trust for 64 that live as long.
  static constexpr int enough = 4, trusted = 64;
  static constexpr unsigned timed_of = 16;
  static constexpr int least_times = 4;
  static constexpr unsigned most_timed = 2 * least_times;
  // A type must save this multiple of what reading it takes, as it may be the last of its kind.
  static constexpr float margin = 1.25F;
  // An engine that takes this part of the host's time gains nothing.
  static constexpr float as_slow = 0.95F;
  // A first program is assumed to be made this many times faster than a type is read, until one was timed.
  static constexpr float first_is_faster_by = 8;
  // After this many types that would have paid if the engine were infinitely fast, its speed is looked at again.
  static constexpr int looked_again_after = 64;

  // Before it is known what is gained, the next type is read to time it: after the first few, seldom, since a type that
  // is packed once tells nothing of the engine.
  void read_next_to_time_it() {
    const unsigned before = wanted_.load(std::memory_order_relaxed);
    wanted_.store(before + 1, std::memory_order_relaxed);
    if (before < most_timed || before % looked_again_after == 0) at_once_left_.store(1, std::memory_order_relaxed);
  }

  bool knows_reading() const { return readings_.load(std::memory_order_relaxed) >= least_times; }

  // The engine's time to the host's; 0: not known.
  float ratio() const {
    const float engine = engine_rate_.load(std::memory_order_relaxed), host = host_rate();
    return host > 0 && knows_engine() ? engine / host : 0;
  }

  // As guessed (0: not) until some were timed, since the first ones find cold caches.
  float ns_of_first_program(float guess) const {
    const float measured = first_program_ns_.load(std::memory_order_relaxed);
    const bool were_enough = first_programs_.load(std::memory_order_relaxed) >= least_times;
    if (measured > 0 && (guess == 0 || were_enough)) return measured;
    const float by_reading = reading_ns_.load(std::memory_order_relaxed) / first_is_faster_by;
    return guess == 0 ? by_reading : std::min(guess, by_reading);
  }

  // ns, with a margin.
  float paid_by_reading(std::int64_t guess) const {
    if (has_first_programs()) return margin * ns_of_first_program(static_cast<float>(guess));
    const bool is_measured = knows_reading() || guess == 0;
    return margin * (is_measured ? reading_ns_.load(std::memory_order_relaxed) : static_cast<float>(guess));
  }

  bool would_have_paid(std::int64_t host_ns, std::int64_t guess) {
    const float reading = paid_by_reading(guess);
    const auto host = static_cast<float>(host_ns);
    if (host <= reading) return false;
    if (host * (1 - ratio()) > reading) return true;
    const int missed = missed_.load(std::memory_order_relaxed) + 1;
    missed_.store(missed % looked_again_after, std::memory_order_relaxed);
    if (missed == looked_again_after) {
      engine_rate_.store(0, std::memory_order_relaxed);
      engine_types_.store(0, std::memory_order_relaxed);
      wanted_.store(0, std::memory_order_relaxed);
    }
    return false;
  }

  // Faster times count at once; slower ones, which may be disturbed, by and by, and at most as twice the time.
  static void learn(std::atomic<float>& time, float now) {
    const float before = time.load(std::memory_order_relaxed);
    const bool is_faster = before == 0 || now < before;
    time.store(is_faster ? now : before + (std::min(now, 2 * before) - before) / 8, std::memory_order_relaxed);
  }

  std::atomic<float> host_rate_{0}, engine_rate_{0};  // ns a byte
  std::atomic<float> reading_ns_{0}, first_program_ns_{0};
  std::atomic<int> engine_types_{0}, readings_{0}, in_a_row_{0}, at_once_left_{0}, missed_{0};
  std::atomic<unsigned> begun_{0}, wanted_{0}, first_programs_{0};
  std::atomic<int> without_first_{0};
};

// The lives of types that a place of the program commits (a number below 256, message_sites.h), of about one size.
// Places and sizes that share an entry share their luck.
class LivesOfTypes {
 public:
  TypeLives& of(std::size_t place, std::int64_t size) {
    const auto width = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(size)));
    return all_[(place * 37 + width) % all_.size()];
  }

 private:
  std::array<TypeLives, 512> all_{};
};

}  // namespace marshal
