#include "rankmap/tables.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <vector>

#include "pattern/detect.h"
#include "rankmap/lookup_kernels.h"

namespace marshal {
namespace {

int width(std::span<const std::int32_t> lpids) {
  const auto [least, most] = std::minmax_element(lpids.begin(), lpids.end());
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(*most - *least)));
}

// The end of the run that starts at `start`, and whether it goes down.
struct RunEnd {
  std::size_t end;
  bool down;
};
RunEnd run_from(std::span<const std::int32_t> lpids, std::size_t start) {
  std::size_t end = start + 1;
  const bool down = end < lpids.size() && lpids[end] == lpids[start] - 1;
  const std::int32_t step = down ? -1 : 1;
  while (end < lpids.size() && lpids[end] == lpids[end - 1] + step) ++end;
  return {end, down};
}

std::int64_t range(std::span<const std::int32_t> lpids) { return std::int64_t{lpids.back()} - lpids.front() + 1; }

int low_bits(std::span<const std::int32_t> lpids) {
  const std::int64_t gap = range(lpids) / static_cast<std::int64_t>(lpids.size());
  return gap <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(gap))) - 1;
}

std::int64_t unary_bits(std::span<const std::int32_t> lpids, int low) {
  return static_cast<std::int64_t>(lpids.size()) + (range(lpids) >> low) + 1;
}

}  // namespace

ProcessTable::ProcessTable(std::span<const Process> processes, std::string_view format)
    : processes_(processes.begin(), processes.end()),
      format_(format),
      only_group_(processes.empty() ? -1 : processes.front().group) {
  for (const Process process : processes)
    if (process.group != only_group_) only_group_ = -1;
}

void LpidTable::read_lpids(std::span<std::int32_t> lpids) const {
  std::copy(lpids_.begin(), lpids_.end(), lpids.begin());
}

void ProcessTable::read_lpids(std::span<std::int32_t> lpids) const {
  std::transform(processes_.begin(), processes_.end(), lpids.begin(), [](Process process) { return process.lpid; });
}

void ProcessTable::read_groups(std::span<std::int32_t> groups) const {
  std::transform(processes_.begin(), processes_.end(), groups.begin(), [](Process process) { return process.group; });
}

std::size_t LpidTable::bytes() const {
  return sizeof *this + lpids_.capacity() * sizeof(std::int32_t) + inverse_.bytes();
}

std::size_t ProcessTable::bytes() const {
  return sizeof *this + processes_.capacity() * sizeof(Process) + inverse_.bytes();
}

PackedTable::PackedTable(std::int32_t group, std::span<const std::int32_t> lpids)
    : LpidsOfGroup(group, lpids.size()),
      first_(*std::min_element(lpids.begin(), lpids.end())),
      bits_(width(lpids)),
      words_(packed_words(size_, bits_)) {
  for (std::int64_t i = 0; const std::int32_t lpid : lpids)
    packed_set(words_.data(), bits_, i++, static_cast<std::uint32_t>(lpid - first_));
}

void PackedTable::read_lpids(std::span<std::int32_t> lpids) const {
  fastest_lookups().packed_read(words_.data(), bits_, first_, lpids);
}

std::size_t PackedTable::bytes() const {
  return sizeof *this + words_.capacity() * sizeof(std::uint64_t) + inverse_.bytes();
}

std::size_t PackedTable::estimate(std::span<const std::int32_t> lpids) {
  return sizeof(PackedTable) + packed_words(static_cast<std::int64_t>(lpids.size()), width(lpids)) * 8;
}

RunTable::RunTable(std::int32_t group, std::span<const std::int32_t> lpids) : LpidsOfGroup(group, lpids.size()) {
  for (std::size_t start = 0; start < lpids.size();) {
    const auto [end, down] = run_from(lpids, start);
    runs_.push_back({static_cast<std::int32_t>(start), down ? ~lpids[start] : lpids[start]});
    start = end;
  }
  runs_.shrink_to_fit();
  by_lpid_.resize(runs_.size());
  std::iota(by_lpid_.begin(), by_lpid_.end(), 0U);
  std::sort(by_lpid_.begin(), by_lpid_.end(), [&](std::uint32_t a, std::uint32_t b) { return lowest(a) < lowest(b); });
}

std::size_t RunTable::estimate(std::span<const std::int32_t> lpids) {
  std::size_t runs = 0;
  for (std::size_t start = 0; start < lpids.size(); start = run_from(lpids, start).end) ++runs;
  return sizeof(RunTable) + runs * (sizeof(Run) + sizeof(std::uint32_t));
}

std::size_t RunTable::bytes() const {
  return sizeof *this + runs_.capacity() * sizeof(Run) + by_lpid_.capacity() * sizeof(std::uint32_t);
}

std::int32_t RunTable::lowest(std::size_t run) const {
  const std::int32_t first = runs_[run].first;
  return first >= 0 ? first : ~first - (end(run) - runs_[run].start - 1);
}

Process RunTable::at(std::int32_t i) const {
  const auto next =
      std::upper_bound(runs_.begin(), runs_.end(), i, [](std::int32_t at, const Run& run) { return at < run.start; });
  const Run& run = *(next - 1);
  const std::int32_t within = i - run.start;
  return {group_, run.first >= 0 ? run.first + within : ~run.first - within};
}

void RunTable::read_lpids(std::span<std::int32_t> lpids) const {
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const std::int32_t step = runs_[run].first >= 0 ? 1 : -1;
    std::int32_t next = runs_[run].first >= 0 ? runs_[run].first : ~runs_[run].first;
    for (std::int32_t i = runs_[run].start; i < end(run); ++i, next += step) lpids[static_cast<std::size_t>(i)] = next;
  }
}

std::int32_t RunTable::index_of(Process process) const {
  if (process.group != group_) return -1;
  const auto next = std::upper_bound(by_lpid_.begin(), by_lpid_.end(), process.lpid,
                                     [&](std::int32_t lpid, std::uint32_t run) { return lpid < lowest(run); });
  if (next == by_lpid_.begin()) return -1;
  const std::size_t run = *(next - 1);
  const std::int32_t above = process.lpid - lowest(run);
  const std::int32_t length = end(run) - runs_[run].start;
  if (above >= length) return -1;
  return runs_[run].first >= 0 ? runs_[run].start + above : end(run) - 1 - above;
}

BitmapTable::BitmapTable(std::int32_t group, std::span<const std::int32_t> lpids)
    : LpidsOfGroup(group, lpids.size()), first_(lpids.front()), last_(lpids.back()), bits_(range(lpids)) {
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
    : LpidsOfGroup(group, lpids.size()),
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
  std::int32_t first = 0, last = size_;
  while (first < last) {
    const std::int32_t middle = first + (last - first) / 2;
    if (at(middle).lpid < process.lpid)
      first = middle + 1;
    else
      last = middle;
  }
  return first < size_ && at(first).lpid == process.lpid ? first : -1;
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
