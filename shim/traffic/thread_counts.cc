#include "traffic/thread_counts.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/fixed_table.h"

namespace marshal {

PeerCounts::~PeerCounts() {
  for (auto& chunk : chunks_) delete[] chunk.load();
}

std::uint32_t& PeerCounts::slot_of(PeerName name, GridNumber grid) {
  const std::uint64_t key = static_cast<std::uint64_t>(grid) << 32 | static_cast<std::uint32_t>(name);
  for (std::size_t i = spread(key, 32) & index_mask_;; i = (i + 1) & index_mask_) {
    std::uint32_t& slot = index_[i];
    if (slot == 0) return slot;
    const PeerCount& entry = at(slot - 1);
    if (entry.name.load(std::memory_order_relaxed) == name && entry.grid.load(std::memory_order_relaxed) == grid)
      return slot;
  }
}

void PeerCounts::grow_index() {
  const std::size_t capacity = index_ ? 2 * (index_mask_ + 1) : 2 * first_chunk;
  index_ = std::make_unique<std::uint32_t[]>(capacity);
  index_mask_ = capacity - 1;
  const std::size_t count = count_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < count; ++i)
    slot_of(at(i).name.load(std::memory_order_relaxed), at(i).grid.load(std::memory_order_relaxed)) =
        static_cast<std::uint32_t>(i) + 1;
}

PeerCount& PeerCounts::append(PeerName name, GridNumber grid) {
  const std::size_t number = count_.load(std::memory_order_relaxed);
  const Position position = position_of(number);
  if (chunks_[position.chunk].load(std::memory_order_relaxed) == nullptr)
    chunks_[position.chunk].store(new PeerCount[first_chunk << position.chunk], std::memory_order_release);
  PeerCount& entry = at(number);
  entry.name.store(name, std::memory_order_relaxed);
  entry.grid.store(grid, std::memory_order_relaxed);
  count_.store(number + 1, std::memory_order_release);
  return entry;
}

PeerCount* PeerCounts::of(PeerName name, GridNumber grid) noexcept {
  try {
    const std::size_t count = count_.load(std::memory_order_relaxed);
    if (!index_ || 2 * count >= index_mask_ + 1) grow_index();
    std::uint32_t& slot = slot_of(name, grid);
    if (slot != 0) return &at(slot - 1);
    // Nodes and foreign processes have room behind the processes.
    if (name >= 0 ? !has_room() : count >= 2 * most_processes - first_chunk) return nullptr;
    PeerCount& entry = append(name, grid);
    slot = static_cast<std::uint32_t>(count) + 1;
    return &entry;
  } catch (...) {
    return nullptr;
  }
}

namespace {

// Bits of a key, from below: 1 taken, 16 call, 7 exponent of the size and one, 32 processes.
constexpr int call_bits = 16, size_bits = 7;

std::uint64_t key_of_name(const CollectiveName& name) {
  const auto size = static_cast<std::uint64_t>(std::bit_width(name.up_to_bytes));
  return 1 | std::uint64_t{name.call} << 1 | size << (1 + call_bits) |
         std::uint64_t{name.processes} << (1 + call_bits + size_bits);
}

}  // namespace

CollectiveName collective_name(std::uint16_t call, std::uint32_t processes, std::uint64_t bytes) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 63;
  return {call, processes, bytes == 0 ? 0 : std::bit_ceil(std::min(bytes, largest))};
}

CollectiveName CollectiveCounts::name_of(std::uint64_t key) {
  const std::uint64_t size = key >> (1 + call_bits) & ((1U << size_bits) - 1);
  return {static_cast<std::uint16_t>(key >> 1), static_cast<std::uint32_t>(key >> (1 + call_bits + size_bits)),
          size == 0 ? 0 : std::uint64_t{1} << (size - 1)};
}

CollectiveCounts::Count* CollectiveCounts::find_or_take(std::uint64_t key, bool is_kind) noexcept {
  std::uint64_t taken = 0;
  Count& count = table_.search(key, [&](const Count& at) {
    taken = at.key.load(std::memory_order_relaxed);
    return taken == key || taken == 0;
  });
  if (taken == key) return &count;
  std::size_t& used = is_kind ? kinds_ : calls_alone_;
  if (used == (is_kind ? most_kinds : most_calls)) return nullptr;
  ++used;
  count.key.store(key, std::memory_order_release);
  return &count;
}

void CollectiveCounts::add(const CollectiveName& name, std::uint64_t bytes) noexcept {
  Count* count = find_or_take(key_of_name(name), true);
  if (count == nullptr) count = find_or_take(key_of_name({name.call, 0, 0}), false);
  if (count == nullptr) return;
  // Only the owner writes: a load and a store are enough.
  count->calls.store(count->calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  count->bytes.store(count->bytes.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
}

}  // namespace marshal
