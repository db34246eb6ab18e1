#include "rankmap/plain_tables.h"

#include <algorithm>

namespace marshal {

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

}  // namespace marshal
