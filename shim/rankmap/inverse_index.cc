#include "rankmap/inverse_index.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "rankmap/packed_bits.h"

namespace marshal {

struct InverseIndex::Slots {
  // Dense: entry lpid - first is the index + 1, 0 where there is none.
  std::int32_t group = 0;
  std::int32_t first = 0;
  std::int64_t range = 0;
  int bits = 0;
  std::vector<std::uint64_t> dense;
  // Sparse: indices, -1 where free; a power of two.
  std::vector<std::int32_t> sparse;
};

namespace {

// Fibonacci hashing: consecutive lpids spread over all slots.
std::size_t slot_of(Process process, std::size_t slots) {
  const auto key =
      (std::uint64_t{static_cast<std::uint32_t>(process.group)} << 32) | static_cast<std::uint32_t>(process.lpid);
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> (64 - std::countr_zero(slots)));
}

}  // namespace

InverseIndex::~InverseIndex() { delete slots_.load(std::memory_order_acquire); }

std::unique_ptr<InverseIndex::Slots> InverseIndex::build(const RankTable& table) {
  auto slots = std::make_unique<Slots>();
  const std::int32_t size = table.size();
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  std::int32_t most = 0;
  bool one_group = true;
  slots->group = size > 0 ? table.at(0).group : 0;
  for (std::int32_t i = 0; i < size; ++i) {
    const Process process = table.at(i);
    one_group = one_group && process.group == slots->group;
    least = std::min(least, process.lpid);
    most = std::max(most, process.lpid);
  }
  const std::int64_t range = std::int64_t{most} - least + 1;
  if (one_group && size > 0 && range <= 4 * std::int64_t{size}) {
    slots->first = least;
    slots->range = range;
    slots->bits = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(size)));
    slots->dense.resize(packed_words(range, slots->bits));
    for (std::int32_t i = 0; i < size; ++i) {
      packed_set(slots->dense.data(), slots->bits, table.at(i).lpid - least, static_cast<std::uint32_t>(i + 1));
    }
    return slots;
  }
  auto& sparse = slots->sparse;
  sparse.assign(std::bit_ceil(std::max<std::size_t>(2, 2 * static_cast<std::size_t>(size))), -1);
  for (std::int32_t i = 0; i < size; ++i) {
    std::size_t at = slot_of(table.at(i), sparse.size());
    while (sparse[at] >= 0) at = (at + 1) & (sparse.size() - 1);
    sparse[at] = i;
  }
  return slots;
}

std::int32_t InverseIndex::find(const RankTable& table, Process process) const {
  const Slots* slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) {
    auto built = build(table);
    if (slots_.compare_exchange_strong(slots, built.get(), std::memory_order_acq_rel)) slots = built.release();
  }
  if (slots->range > 0) {
    const std::int64_t above = std::int64_t{process.lpid} - slots->first;
    if (process.group != slots->group || above < 0 || above >= slots->range) return -1;
    return static_cast<std::int32_t>(packed_get(slots->dense.data(), slots->bits, above)) - 1;
  }
  const auto& sparse = slots->sparse;
  for (std::size_t at = slot_of(process, sparse.size());; at = (at + 1) & (sparse.size() - 1)) {
    const std::int32_t i = sparse[at];
    if (i < 0 || table.at(i) == process) return i;
  }
}

std::size_t InverseIndex::bytes() const {
  const Slots* slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) return 0;
  return sizeof(Slots) + slots->dense.capacity() * sizeof(std::uint64_t) +
         slots->sparse.capacity() * sizeof(std::int32_t);
}

}  // namespace marshal
