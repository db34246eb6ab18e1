// Learns from the program's own calls whether the engine or the host packs faster. In each class of sizes they take
// turns, and are timed in pairs of one call each. Once one side has won clearly more pairs (a sequential sign test), it
// keeps the class. So scattered times and single slow calls matter little. The first calls may differ from later ones,
// whose memory may be mapped or cached. So the trial is repeated after a thousand calls or more, seldom enough that a
// slow host costs nothing. The bytes are the same on both sides.
//
// Thread safe without locks: two threads in the same moment may lose a sample.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/relaxed.h"
#include "types/priors.h"

namespace marshal {

// The ns since it was made.
class Stopwatch {
 public:
  std::int64_t ns() const { return std::chrono::nanoseconds(std::chrono::steady_clock::now() - began_).count(); }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};
template <class Run>
std::int64_t ns_of(Run run) {
  const Stopwatch watch;
  run();
  return watch.ns();
}

class HostTrial {
 public:
  static constexpr std::int64_t least_bytes = priors::least_timed;

  enum class Side : std::uint8_t { engine, host, undecided };

  // The side that does a call of so many bytes, if that is decided.
  Side side(std::int64_t bytes) const { return bytes < least_bytes ? Side::engine : classes_[class_of(bytes)].side; }

  // True if the host does the `calls`-th call of so many bytes, and no trial is due.
  bool is_left_to_host(std::int64_t bytes, std::uint64_t calls) const {
    if (bytes < least_bytes) return false;
    const Class& c = classes_[class_of(bytes)];
    return c.side == Side::host && calls < c.again_at;
  }

  struct Turn {
    bool by_host, timed;
  };

  // The side that does this call, the `calls`-th; timed calls are reported to took(). Ask for every call while nothing
  // is decided, then for all calls or a sample of them.
  Turn turn(std::int64_t bytes, std::uint64_t calls);
  void took(std::int64_t bytes, bool by_host, std::int64_t ns, std::uint64_t calls);

 private:
  static constexpr std::size_t class_count = 16;  // 256 B, 512 B, … 8 MiB and more

  struct Class {
    Relaxed<Side> side{Side::undecided};
    Relaxed<Side> last{Side::undecided};  // the winner of the previous trial
    Relaxed<std::uint16_t> doublings;     // of the calls between trials, since they say the same
    Relaxed<std::uint16_t> pairs;         // complete ones of this trial
    Relaxed<std::int16_t> lead;           // of the engine: pairs won less pairs lost
    Relaxed<std::uint16_t> ratio;         // of the slower time to the faster, the least of these pairs
    Relaxed<std::int64_t> open;           // ns of a pair's first call, negative if by the host; 0: none
    Relaxed<std::uint64_t> again_at;      // the call with which the next trial begins
  };
  static std::size_t class_of(std::int64_t bytes) {
    const auto width = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes / least_bytes)));
    return std::min(width, class_count) - 1;
  }
  static void decide(Class& c, Side side, std::int64_t ratio, std::uint64_t calls);

  std::array<Class, class_count> classes_;
};

}  // namespace marshal
