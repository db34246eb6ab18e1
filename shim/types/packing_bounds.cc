#include "types/packing_bounds.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace marshal {
namespace {

constexpr std::size_t least_copy = 4096;

int class_of(double copied) {
  const auto bytes = static_cast<std::uint64_t>(std::max(copied, 0.0));
  return std::clamp(static_cast<int>(std::bit_width(bytes / least_copy)), 0, PackedShares::classes - 1);
}

}  // namespace

void PackedShares::add(double packed, double copied) {
  double& share = largest[static_cast<std::size_t>(class_of(copied))];
  share = std::max(share, packed / copied);
}

void PackedShares::merge(const PackedShares& other) {
  for (std::size_t i = 0; i < largest.size(); ++i) largest[i] = std::max(largest[i], other.largest[i]);
}

// Every process has its own caches. So many copies in a row that reading the clock does not matter.
double measured_copy_rate(std::size_t bytes) {
  constexpr std::size_t bytes_of_a_round = std::size_t{1} << 20;
  const std::size_t copies = std::max<std::size_t>(bytes_of_a_round / bytes, 1);
  std::vector<std::byte> from(bytes, std::byte{1}), to(bytes);
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < 8; ++round) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    for (std::size_t copy = 0; copy < copies; ++copy) {
      std::memcpy(to.data(), from.data(), bytes);
      asm volatile("" : : "r"(to.data()) : "memory");
    }
    best = std::min<std::int64_t>(best, std::chrono::nanoseconds(Clock::now() - begin).count());
  }
  return static_cast<double>(copies * bytes) * 1e9 / static_cast<double>(std::max<std::int64_t>(best, 1));
}

void put_bounds(const PackingBounds& bounds, double (*copy_rate)(std::size_t bytes), LayoutRows& rows) {
  std::array<double, PackedShares::classes> rates{};
  const auto bound_of = [&](const PackedShares& shares) {
    double bound = 0;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (shares.largest[i] == 0) continue;
      if (rates[i] == 0) rates[i] = copy_rate(least_copy << i);
      bound = std::max(bound, shares.largest[i] * rates[i]);
    }
    report::DatatypeLayout row;
    row.set_bound(bound);
    return row;
  };
  bounds.each([&](const report::LayoutKey& key, const PackedShares& shares) { rows[key].merge(bound_of(shares)); });
  if (bounds.overflowed()) rows.fold(bound_of(bounds.others()));
}

}  // namespace marshal
