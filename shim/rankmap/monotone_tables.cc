#include "rankmap/monotone_tables.h"

#include <bit>

#include "rankmap/lookup_kernels.h"
#include "rankmap/packed_bits.h"

namespace marshal {
namespace {

std::int64_t range(std::span<const std::int32_t> lpids) { return std::int64_t{lpids.back()} - lpids.front() + 1; }

int low_bits(std::span<const std::int32_t> lpids) {
  const std::int64_t gap = range(lpids) / static_cast<std::int64_t>(lpids.size());
  return gap <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(gap))) - 1;
}

std::int64_t unary_bits(std::span<const std::int32_t> lpids, int low) {
  return static_cast<std::int64_t>(lpids.size()) + (range(lpids) >> low) + 1;
}

}  // namespace

BitmapTable::BitmapTable(std::int32_t group, std::span<const std::int32_t> lpids)
    : group_(group),
      size_(static_cast<std::int32_t>(lpids.size())),
      first_(lpids.front()),
      last_(lpids.back()),
      bits_(range(lpids)) {
  for (const std::int32_t lpid : lpids) bits_.set(lpid - first_);
  bits_.seal();
}

std::size_t BitmapTable::estimate(std::span<const std::int32_t> lpids) {
  return sizeof(BitmapTable) + SelectBitmap::estimate(range(lpids), static_cast<std::int64_t>(lpids.size()));
}

std::int32_t BitmapTable::index_of(Process process) const {
  if (process.group != group_ || process.lpid < first_ || process.lpid > last_) return -1;
  const std::int64_t bit = process.lpid - first_;
  return bits_.test(bit) ? static_cast<std::int32_t>(bits_.rank(bit)) : -1;
}

void BitmapTable::read_lpids(std::span<std::int32_t> lpids) const {
  std::int32_t* next = lpids.data();
  bits_.for_each_one([&next, first = first_](std::int64_t bit) { *next++ = first + static_cast<std::int32_t>(bit); });
}

EliasFanoTable::EliasFanoTable(std::int32_t group, std::span<const std::int32_t> lpids)
    : group_(group),
      size_(static_cast<std::int32_t>(lpids.size())),
      first_(lpids.front()),
      low_bits_(low_bits(lpids)),
      low_(packed_words(size_, low_bits_)),
      high_(unary_bits(lpids, low_bits_)) {
  for (std::int32_t i = 0; i < size_; ++i) {
    const auto above = static_cast<std::uint32_t>(lpids[static_cast<std::size_t>(i)] - first_);
    packed_set(low_.data(), low_bits_, i, above & ((std::uint32_t{1} << low_bits_) - 1));
    high_.set(std::int64_t{above >> low_bits_} + i);
  }
  high_.seal();
}

std::size_t EliasFanoTable::estimate(std::span<const std::int32_t> lpids) {
  const int low = low_bits(lpids);
  const auto size = static_cast<std::int64_t>(lpids.size());
  return sizeof(EliasFanoTable) + packed_words(size, low) * 8 + SelectBitmap::estimate(unary_bits(lpids, low), size);
}

Process EliasFanoTable::at(std::int32_t i) const {
  const auto high = static_cast<std::uint32_t>(high_.select(i) - i);
  return {group_, first_ + static_cast<std::int32_t>(high << low_bits_ | packed_get(low_.data(), low_bits_, i))};
}

std::int32_t EliasFanoTable::index_of(Process process) const {
  if (process.group != group_) return -1;
  std::int32_t low = 0;
  std::int32_t high = size_;
  while (low < high) {
    const std::int32_t middle = low + (high - low) / 2;
    if (at(middle).lpid < process.lpid) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < size_ && at(low).lpid == process.lpid ? low : -1;
}

void EliasFanoTable::read_lpids(std::span<std::int32_t> lpids) const {
  fastest_lookups().packed_read(low_.data(), low_bits_, first_, lpids);
  std::int64_t i = 0;
  high_.for_each_one([&](std::int64_t bit) {
    lpids[static_cast<std::size_t>(i)] += static_cast<std::int32_t>(static_cast<std::uint32_t>(bit - i) << low_bits_);
    ++i;
  });
}

std::size_t EliasFanoTable::bytes() const {
  return sizeof *this + low_.capacity() * sizeof(std::uint64_t) + high_.heap_bytes();
}

}  // namespace marshal
