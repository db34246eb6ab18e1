// Whether the engine or the host packs faster, learnt from the program's own calls: in each class of sizes they take
// turns, timed in pairs of one call each, until one side has won clearly more pairs (a sequential sign test); it keeps
// the class. Times that scatter, and single slow ones, so mean little. The bytes are the same whoever does it.
//
// Thread safe without locks: two threads in the same moment may lose a sample.
#ifndef MARSHAL_DATATYPE_HOST_TRIAL_H
#define MARSHAL_DATATYPE_HOST_TRIAL_H

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace marshal::datatype {

class HostTrial {
 public:
  // Below, a call costs more than its bytes, and the engine's costs less than being passed on.
  static constexpr std::int64_t least_bytes = 256;

  struct Turn {
    bool by_host, timed;
  };

  // Who does the next call, of so many bytes. Those timed are told to took().
  Turn turn(std::int64_t bytes) const {
    if (bytes < least_bytes) return {false, false};
    const Class& c = classes_[class_of(bytes)];
    const std::uint32_t pairs = c.pairs.load(std::memory_order_relaxed);
    if (pairs >= engine_won) return {pairs == host_won, false};
    const std::int64_t open = c.open.load(std::memory_order_relaxed);
    return {open == 0 ? pairs % 2 != 0 : open > 0, true};  // engine, host, host, engine, engine, …
  }

  // Whether it is decided, and for whom, without a look at the clock.
  bool is_for_engine(std::int64_t bytes) const {
    return bytes < least_bytes || classes_[class_of(bytes)].pairs.load(std::memory_order_relaxed) == engine_won;
  }
  bool is_for_host(std::int64_t bytes) const {
    return bytes >= least_bytes && classes_[class_of(bytes)].pairs.load(std::memory_order_relaxed) == host_won;
  }

  void took(std::int64_t bytes, bool by_host, std::int64_t ns);

 private:
  static constexpr std::uint32_t engine_won = 1000, host_won = 1001;
  static constexpr std::size_t class_count = 16;  // 256 B, 512 B, … 8 MiB and more

  struct Class {
    std::atomic<std::uint32_t> pairs{0};  // complete ones, or who won
    std::atomic<std::int32_t> lead{0};    // of the engine: pairs won less pairs lost
    std::atomic<std::int64_t> open{0};    // ns of a pair's first call, negative if by the host; 0: none
  };
  static std::size_t class_of(std::int64_t bytes) {
    const auto width = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes / least_bytes)));
    return std::min(width, class_count) - 1;
  }

  std::array<Class, class_count> classes_;
};

}  // namespace marshal::datatype

#endif
