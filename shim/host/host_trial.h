// Whether the engine or the host packs faster, learnt from the program's own calls: in each class of sizes they take
// turns, timed in pairs of one call each, until one side has won clearly more pairs (a sequential sign test); it keeps
// the class. Times that scatter, and single slow ones, so mean little. A program's first calls may differ from all
// later ones, whose memory is there and in the caches, or is not: after a thousand calls and more it is tried again,
// seldom enough for a slow host to cost nothing. The bytes are the same whoever does it.
//
// Thread safe without locks: two threads in the same moment may lose a sample.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace marshal {

class HostTrial {
 public:
  // Below, a call costs more than its bytes, and the engine's costs less than being passed on.
  static constexpr std::int64_t least_bytes = 256;

  enum class Side : std::uint8_t { engine, host, undecided };

  // Who does a call of so many bytes, as far as it is decided.
  Side side(std::int64_t bytes) const {
    return bytes < least_bytes ? Side::engine : classes_[class_of(bytes)].side.load(std::memory_order_relaxed);
  }

  struct Turn {
    bool by_host, timed;
  };

  // Who does this call, the `calls`-th; those timed are told to took(). Asked of every call while nothing is decided,
  // then of a sample of them or of all.
  Turn turn(std::int64_t bytes, std::uint64_t calls);
  void took(std::int64_t bytes, bool by_host, std::int64_t ns, std::uint64_t calls);

 private:
  static constexpr std::size_t class_count = 16;  // 256 B, 512 B, … 8 MiB and more

  struct Class {
    std::atomic<Side> side{Side::undecided};
    std::atomic<Side> last{Side::undecided};  // who won the trial before
    std::atomic<std::uint16_t> doublings{0};  // of the calls between trials, since they say the same
    std::atomic<std::uint16_t> pairs{0};      // complete ones of this trial
    std::atomic<std::int16_t> lead{0};        // of the engine: pairs won less pairs lost
    std::atomic<std::uint16_t> ratio{0};      // of the slower time to the faster, the least of these pairs
    std::atomic<std::int64_t> open{0};        // ns of a pair's first call, negative if by the host; 0: none
    std::atomic<std::uint64_t> again_at{0};   // the call with which the next trial begins
  };
  static std::size_t class_of(std::int64_t bytes) {
    const auto width = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes / least_bytes)));
    return std::min(width, class_count) - 1;
  }
  static void decide(Class& c, Side side, std::int64_t ratio, std::uint64_t calls);

  std::array<Class, class_count> classes_;
};

}  // namespace marshal
