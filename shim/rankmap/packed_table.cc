#include "rankmap/packed_table.h"

#include <algorithm>
#include <bit>

#include "rankmap/lookup_kernels.h"

namespace marshal {
namespace {

int width(std::span<const std::int32_t> lpids) {
  const auto [least, most] = std::minmax_element(lpids.begin(), lpids.end());
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(*most - *least)));
}

}  // namespace

PackedTable::PackedTable(std::int32_t group, std::span<const std::int32_t> lpids)
    : group_(group),
      size_(static_cast<std::int32_t>(lpids.size())),
      first_(*std::min_element(lpids.begin(), lpids.end())),
      bits_(width(lpids)),
      words_(packed_words(size_, bits_)) {
  for (std::int32_t i = 0; i < size_; ++i) {
    packed_set(words_.data(), bits_, i, static_cast<std::uint32_t>(lpids[static_cast<std::size_t>(i)] - first_));
  }
}

void PackedTable::read_lpids(std::span<std::int32_t> lpids) const {
  fastest_lookups().packed_read(words_.data(), bits_, first_, lpids);
}

std::size_t PackedTable::estimate(std::span<const std::int32_t> lpids) {
  return sizeof(PackedTable) + packed_words(static_cast<std::int64_t>(lpids.size()), width(lpids)) * 8;
}

}  // namespace marshal
