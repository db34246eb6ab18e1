#include "rankmap/irregular.h"

#include <xxhash.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "pattern/detect.h"
#include "rankmap/tables.h"

namespace marshal {
namespace {

TableRef smallest(std::int32_t group, std::span<const std::int32_t> lpids) {
  if (const auto pattern = detect_deep(lpids)) return TableRef(new NestedTable(group, *pattern));
  const std::size_t packed = PackedTable::estimate(lpids);
  const std::size_t runs = RunTable::estimate(lpids);
  std::size_t bitmap = packed;
  std::size_t elias_fano = packed;
  if (std::is_sorted(lpids.begin(), lpids.end())) {
    bitmap = BitmapTable::estimate(lpids);
    elias_fano = EliasFanoTable::estimate(lpids);
  }
  const std::size_t least = std::min({runs, bitmap, elias_fano});
  if (2 * least > packed) return TableRef(new PackedTable(group, lpids));
  if (runs == least) return TableRef(new RunTable(group, lpids));
  if (bitmap == least) return TableRef(new BitmapTable(group, lpids));
  return TableRef(new EliasFanoTable(group, lpids));
}

TableRef shared(std::int32_t group, std::span<const std::int32_t> lpids) {
  const std::uint64_t hash = XXH3_64bits_withSeed(lpids.data(), lpids.size_bytes(), static_cast<std::uint32_t>(group));
  const auto same = [&](const RankTable& table) {
    if (table.size() != static_cast<std::int32_t>(lpids.size())) return false;
    for (std::int32_t i = 0; i < table.size(); ++i) {
      if (table.at(i) != Process{group, lpids[static_cast<std::size_t>(i)]}) return false;
    }
    return true;
  };
  return TableRef::pooled(hash, same, [&] { return smallest(group, lpids); });
}

}  // namespace

CompactMap compact(std::int32_t group, std::span<const std::int32_t> lpids) {
  const auto size = static_cast<std::int32_t>(lpids.size());
  // A decreasing sequence is an increasing one read backwards.
  if (std::is_sorted(lpids.begin(), lpids.end(), std::greater<>())) {
    const std::vector<std::int32_t> upwards(lpids.rbegin(), lpids.rend());
    return {StridedBlocks::linear(size - 1, -1, size), shared(group, upwards)};
  }
  return {StridedBlocks::linear(0, 1, size), shared(group, lpids)};
}

}  // namespace marshal
