// Which places of a program commit types that are worth reading for their messages. A place whose types are freed
// before the engine has moved as much as reading them costs is skipped, ever longer; one whose types live is read each
// time.
//
// Thread safe without locks: two threads in the same moment may lose a life.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace marshal {

class MessageSites {
 public:
  static constexpr std::size_t count = 256;  // places that share a number share their luck

  static std::size_t number_of(const void* caller) {
    const auto at = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(caller));
    return static_cast<std::size_t>((at * 0x9E3779B97F4A7C15ULL) >> 56);
  }

  // Of a type that is committed now.
  bool is_worth_reading(std::size_t site) {
    Site& s = sites_[site];
    const std::uint16_t skip = s.skip.load(std::memory_order_relaxed);
    if (skip == 0) return true;
    s.skip.store(static_cast<std::uint16_t>(skip - 1), std::memory_order_relaxed);
    return false;
  }

  // A type that was read there is destroyed, after so many bytes in messages, in blocks of so many bytes on average.
  void ended(std::size_t site, std::uint64_t bytes, std::int64_t mean_block, std::int64_t read_ns) {
    Site& s = sites_[site];
    const std::uint64_t blocks = bytes / static_cast<std::uint64_t>(std::max<std::int64_t>(mean_block, 1));
    const std::uint64_t saved_ns = std::max(bytes / bytes_that_save_a_ns, blocks * ns_saved_of_a_block);
    const bool was_worth_it = saved_ns >= static_cast<std::uint64_t>(std::max<std::int64_t>(read_ns, 0));
    const int misses = was_worth_it ? 0 : std::min(s.misses.load(std::memory_order_relaxed) + 1, most_doublings);
    s.misses.store(static_cast<std::uint8_t>(misses), std::memory_order_relaxed);
    s.skip.store(static_cast<std::uint16_t>((1 << misses) - 1), std::memory_order_relaxed);
  }

 private:
  // On either host, of short blocks and of single numbers (`marshal bench messages --calls ping-pong`).
  static constexpr std::uint64_t bytes_that_save_a_ns = 4, ns_saved_of_a_block = 3;
  static constexpr int most_doublings = 10;

  struct Site {
    std::atomic<std::uint16_t> skip{0};
    std::atomic<std::uint8_t> misses{0};  // in a row
  };
  std::array<Site, count> sites_{};
};

inline constinit MessageSites message_sites;

}  // namespace marshal
