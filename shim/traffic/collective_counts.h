// The collective calls of one thread: how often and how many bytes. They are counted by the call, the number of
// processes of its communicator, and the size of this process's part.
//
// Only the thread itself adds, without lock and without taking memory; any thread may read meanwhile.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/fixed_table.h"

namespace marshal {

struct CollectiveName {
  std::uint16_t call = 0;
  std::uint32_t processes = 0;    // 0: any number, where there are too many kinds to keep them apart
  std::uint64_t up_to_bytes = 0;  // a power of two at least as large as the part; 0: it had no bytes
  auto operator<=>(const CollectiveName&) const = default;
};

CollectiveName collective_name(std::uint16_t call, std::uint32_t processes, std::uint64_t bytes);

class CollectiveCounts {
 public:
  static constexpr std::size_t most_kinds = 256;  // kept apart; later ones are counted by their call alone
  static constexpr std::size_t most_calls = 128;  // that are counted by their call alone

  void add(const CollectiveName& name, std::uint64_t bytes) noexcept;

  // visit(const CollectiveName&, calls, bytes) for each kind so far; any thread.
  template <class Visit>
  void each(Visit visit) const {
    for (const Count& count : table_)
      if (const std::uint64_t key = count.key.load(std::memory_order_acquire); key != 0)
        visit(name_of(key), count.calls.load(std::memory_order_relaxed), count.bytes.load(std::memory_order_relaxed));
  }

 private:
  struct Count {
    std::atomic<std::uint64_t> key{0}, calls{0}, bytes{0};  // key 0: free
  };
  static CollectiveName name_of(std::uint64_t key);
  Count* find_or_take(std::uint64_t key, bool is_kind) noexcept;

  FixedTable<Count, std::bit_ceil(2 * (most_kinds + most_calls))> table_{};  // never more than half full
  std::size_t kinds_ = 0, calls_alone_ = 0;
};

}  // namespace marshal
