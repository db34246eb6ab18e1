#include "rankmap/parts_table.h"

#include <algorithm>
#include <utility>

namespace marshal {

PartsTable::PartsTable(std::vector<RankMap> parts) : parts_(std::move(parts)) {
  for (const RankMap& part : parts_) size_ += part.size();
}

std::int32_t PartsTable::index_of(Process process) const {
  std::int32_t before = 0;
  for (const RankMap& part : parts_) {
    const std::int32_t rank = part.rank_of(process);
    if (rank >= 0) return before + rank;
    before += part.size();
  }
  return -1;
}

void PartsTable::read_lpids(std::span<std::int32_t> lpids) const {
  for (const RankMap& part : parts_) {
    const auto length = static_cast<std::size_t>(part.size());
    part.read_lpids(lpids.first(length));
    lpids = lpids.subspan(length);
  }
}

void PartsTable::read_groups(std::span<std::int32_t> groups) const {
  auto next = groups.begin();
  for (const RankMap& part : parts_) next = std::fill_n(next, part.size(), part.group());
}

bool PartsTable::constant_size() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const RankMap& part) { return part.constant_size(); });
}

std::size_t PartsTable::bytes() const {
  std::size_t bytes = sizeof *this + (parts_.capacity() - parts_.size()) * sizeof(RankMap);
  for (const RankMap& part : parts_) bytes += part.bytes();
  return bytes;
}

}  // namespace marshal
