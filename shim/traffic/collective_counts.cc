#include "traffic/collective_counts.h"

#include <algorithm>
#include <bit>

namespace marshal {
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
