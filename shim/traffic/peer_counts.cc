#include "traffic/peer_counts.h"

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

}  // namespace marshal
