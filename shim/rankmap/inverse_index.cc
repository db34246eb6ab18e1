#include "rankmap/inverse_index.h"

#include <algorithm>
#include <bit>

#include "base/fixed_table.h"
#include "rankmap/lookup_kernels.h"
#include "rankmap/scratch_array.h"

namespace marshal {

struct InverseIndex::Slots {
  DenseInverse dense;
  // Used where that is empty. Indices, -1 where free; a power of two.
  std::vector<std::int32_t> sparse;
};

namespace {

std::size_t slot_of(Process process, std::size_t slots) {
  const auto key =
      (std::uint64_t{static_cast<std::uint32_t>(process.group)} << 32) | static_cast<std::uint32_t>(process.lpid);
  return spread(key, std::countr_zero(slots));
}

}  // namespace

DenseInverse::DenseInverse(std::int32_t group, std::span<const std::int32_t> lpids, std::int32_t least,
                           std::int64_t range)
    : group_(group),
      first_(least),
      range_(static_cast<std::uint32_t>(range)),
      bits_(static_cast<int>(std::bit_width(lpids.size()))),
      words_(packed_words(range, bits_)) {
  std::uint32_t next = 1;
  for (const std::int32_t lpid : lpids) packed_set(words_.data(), bits_, lpid - least, next++);
}

void DenseInverse::operator()(std::int32_t absent, std::span<std::int32_t> lpids) const {
  fastest_lookups().packed_find(words_.data(), bits_, first_, range_, absent, lpids);
}

InverseIndex::~InverseIndex() { delete slots_.load(std::memory_order_acquire); }

std::unique_ptr<InverseIndex::Slots> InverseIndex::build(const RankTable& table) {
  auto slots = std::make_unique<Slots>();
  const auto size = static_cast<std::size_t>(table.size());
  ScratchArray<std::int32_t> all_lpids(size);
  const std::span<std::int32_t> lpids = all_lpids.all();
  table.read_lpids(lpids);
  if (table.only_group() >= 0 && size > 0) {
    const auto [least, most] = std::minmax_element(lpids.begin(), lpids.end());
    const std::int64_t range = std::int64_t{*most} - *least + 1;
    if (range <= 4 * std::int64_t{table.size()}) {
      slots->dense = DenseInverse(table.only_group(), lpids, *least, range);
      return slots;
    }
  }
  ScratchArray<std::int32_t> all_groups(size);
  const std::span<std::int32_t> groups = all_groups.all();
  table.read_groups(groups);
  auto& sparse = slots->sparse;
  sparse.assign(std::bit_ceil(std::max<std::size_t>(2, 2 * size)), -1);
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t at = slot_of({groups[i], lpids[i]}, sparse.size());
    while (sparse[at] >= 0) at = (at + 1) & (sparse.size() - 1);
    sparse[at] = static_cast<std::int32_t>(i);
  }
  return slots;
}

const InverseIndex::Slots& InverseIndex::built(const RankTable& table) const {
  const Slots* slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) {
    auto own = build(table);
    if (slots_.compare_exchange_strong(slots, own.get(), std::memory_order_acq_rel)) slots = own.release();
  }
  return *slots;
}

std::int32_t InverseIndex::find(const RankTable& table, Process process) const {
  const Slots& slots = built(table);
  if (!slots.dense.empty()) return slots.dense(process);
  const auto& sparse = slots.sparse;
  for (std::size_t at = slot_of(process, sparse.size());; at = (at + 1) & (sparse.size() - 1)) {
    const std::int32_t i = sparse[at];
    if (i < 0 || table.at(i) == process) return i;
  }
}

const DenseInverse* InverseIndex::dense(const RankTable& table) const {
  const Slots& slots = built(table);
  return slots.dense.empty() ? nullptr : &slots.dense;
}

std::size_t InverseIndex::bytes() const {
  const Slots* slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) return 0;
  return sizeof(Slots) + slots->dense.heap_bytes() + slots->sparse.capacity() * sizeof(std::int32_t);
}

}  // namespace marshal
