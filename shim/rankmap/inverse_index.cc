#include "rankmap/inverse_index.h"

#include <algorithm>
#include <bit>

namespace marshal {
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
  const auto size = static_cast<std::size_t>(table.size());
  auto slots = std::make_unique<Slots>(std::bit_ceil(std::max<std::size_t>(2, 2 * size)), -1);
  for (std::int32_t i = 0; i < table.size(); ++i) {
    std::size_t at = slot_of(table.at(i), slots->size());
    while ((*slots)[at] >= 0) at = (at + 1) & (slots->size() - 1);
    (*slots)[at] = i;
  }
  return slots;
}

std::int32_t InverseIndex::find(const RankTable& table, Process process) const {
  const Slots* slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) {
    auto built = build(table);
    if (slots_.compare_exchange_strong(slots, built.get(), std::memory_order_acq_rel)) slots = built.release();
  }
  for (std::size_t at = slot_of(process, slots->size());; at = (at + 1) & (slots->size() - 1)) {
    const std::int32_t i = (*slots)[at];
    if (i < 0 || table.at(i) == process) return i;
  }
}

std::size_t InverseIndex::bytes() const {
  const Slots* slots = slots_.load(std::memory_order_acquire);
  return slots == nullptr ? 0 : sizeof(Slots) + slots->capacity() * sizeof(std::int32_t);
}

}  // namespace marshal
