// Whether the engine or the host packs faster, learnt from the program's own calls: they take turns a few times in each
// class of sizes, timed, and the faster one keeps the class. The bytes are the same whoever does it.
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
    const std::uint32_t n = classes_[class_of(bytes)].turn.load(std::memory_order_relaxed);
    if (n >= engine_won) return {n == host_won, false};
    return {(n / 2 + n) % 2 != 0, true};  // engine, host, host, engine, engine, …
  }

  // Whether it is the engine's turn at once, without a look at the clock.
  bool is_for_engine(std::int64_t bytes) const {
    return bytes < least_bytes || classes_[class_of(bytes)].turn.load(std::memory_order_relaxed) == engine_won;
  }

  void took(std::int64_t bytes, bool by_host, std::int64_t ns);

 private:
  static constexpr std::uint32_t most_turns = 16, engine_won = 1000, host_won = 1001;
  static constexpr std::size_t class_count = 16;  // 256 B, 512 B, … 8 MiB and more

  struct Class {
    std::atomic<std::uint32_t> turn{0};
    std::atomic<std::int64_t> best_by_engine{0}, best_by_host{0};  // ns; 0: none yet
  };
  static std::size_t class_of(std::int64_t bytes) {
    const auto width = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes / least_bytes)));
    return std::min(width, class_count) - 1;
  }

  std::array<Class, class_count> classes_;
};

}  // namespace marshal::datatype

#endif
