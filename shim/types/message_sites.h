// Learns which places of a program commit types that are worth reading for their messages. There, types are read at
// their commit. A type is read in vain if it is freed before the engine has saved as much as reading it took. From then
// on the types of its place are read at their first message. Some of them are skipped, and each type that was read in
// vain doubles the number of skipped ones. A skipped type is read once its messages, moved by the host, would have paid
// for it. If types cannot be read in the middle of a message, they are read at their commit, or skipped for good.
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

  // True if a type is to be read at its commit. For hosts where types can be read in a message, too.
  bool is_read_at_commit(std::size_t site) const { return sites_[site].misses.load(std::memory_order_relaxed) == 0; }

  // True if such a type is to be read now, in a message. Ask at each of its messages. `number` counts them, up to
  // `most`; `ns`: what the engine would save of this one.
  bool is_read_in_message(std::size_t site, unsigned number, unsigned most, std::int64_t ns) {
    const unsigned misses = sites_[site].misses.load(std::memory_order_relaxed);
    if (misses == 0 || (number == 1 && is_worth_reading(site))) return true;
    if (number >= most) return misses < misses_of_short_messages;
    return ns * number >= ns_that_pay << (misses - 1);
  }

  // True if a type is to be read, false if it is skipped. Ask once for each type: at its first message, or at its
  // commit if types cannot be read in a message.
  bool is_worth_reading(std::size_t site) {
    Site& s = sites_[site];
    const std::uint16_t skip = s.skip.load(std::memory_order_relaxed);
    if (skip == 0) return true;
    s.skip.store(static_cast<std::uint16_t>(skip - 1), std::memory_order_relaxed);
    return false;
  }

  // A type that was read there is destroyed. `saved_ns`: what the engine saved; `read_ns`: what reading it took.
  void ended(std::size_t site, std::uint64_t saved_ns, std::int64_t read_ns) {
    Site& s = sites_[site];
    const bool was_worth_it = saved_ns >= static_cast<std::uint64_t>(std::max<std::int64_t>(read_ns, 0));
    const int misses = was_worth_it ? 0 : std::min(s.misses.load(std::memory_order_relaxed) + 1, most_doublings);
    s.misses.store(static_cast<std::uint8_t>(misses), std::memory_order_relaxed);
    s.skip.store(static_cast<std::uint16_t>((1 << misses) - 1), std::memory_order_relaxed);
  }

 private:
  // The time to read a small type. (The first types of a process take ten times as long; that says nothing of the next
  // ones.)
  static constexpr std::int64_t ns_that_pay = 4000;
  static constexpr int most_doublings = 10;
  // A place whose types have many short messages is given up after this many types were read in vain.
  static constexpr unsigned misses_of_short_messages = 4;

  struct Site {
    std::atomic<std::uint16_t> skip{0};
    std::atomic<std::uint8_t> misses{0};  // in a row
  };
  std::array<Site, count> sites_{};
};

inline constinit MessageSites message_sites;

}  // namespace marshal
