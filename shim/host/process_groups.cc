#include "host/process_groups.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "base/immortal.h"
#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal {

ProcessGroups& process_groups() {
  static Immortal<ProcessGroups> groups;
  return *groups;
}

void ProcessGroups::set_world(MPI_Group world) {
  const std::lock_guard lock(mutex_);
  if (!met_.empty()) {
    pmpi().Group_free(&world);
    return;
  }
  pmpi().Group_size(world, &world_size_);
  pmpi().Group_rank(world, &world_rank_);
  met_.push_back({world, world_size_});
  count_.store(1, std::memory_order_release);
}

bool ProcessGroups::has_world() const { return count() > 0; }

MPI_Group ProcessGroups::host_group(std::int32_t number) const {
  const std::lock_guard lock(mutex_);
  return met_[static_cast<std::size_t>(number)].group;
}

RankMap ProcessGroups::learn(MPI_Group group, MapForm form) {
  const std::lock_guard lock(mutex_);
  int size = 0;
  if (pmpi().Group_size(group, &size) != MPI_SUCCESS) return {};
  const auto count = static_cast<std::size_t>(size);
  // Most groups are small, and of this job.
  std::array<int, 2 * 64> few;
  std::vector<int> many(count <= few.size() / 2 ? 0 : 2 * count);
  const std::span<int> ranks = many.empty() ? std::span(few) : std::span(many);
  const std::span<int> all = ranks.first(count), found_in_world = ranks.subspan(count, count);
  std::iota(all.begin(), all.end(), 0);
  if (met_.size() == 1 && size > 0 &&
      pmpi().Group_translate_ranks(group, size, all.data(), met_[0].group, found_in_world.data()) == MPI_SUCCESS &&
      std::find(found_in_world.begin(), found_in_world.end(), MPI_UNDEFINED) == found_in_world.end())
    return RankMap::from_lpids(0, found_in_world, form);
  std::vector<int> unknown(all.begin(), all.end()), found(count);
  std::vector<Process> processes(static_cast<std::size_t>(size), Process{-1, -1});
  for (std::size_t g = 0; g < met_.size() && !unknown.empty(); ++g) {
    found.resize(unknown.size());
    if (pmpi().Group_translate_ranks(group, static_cast<int>(unknown.size()), unknown.data(), met_[g].group,
                                     found.data()) != MPI_SUCCESS)
      return {};
    std::size_t left = 0;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      if (found[i] == MPI_UNDEFINED)
        unknown[left++] = unknown[i];
      else
        processes[static_cast<std::size_t>(unknown[i])] = {static_cast<std::int32_t>(g), found[i]};
    }
    unknown.resize(left);
  }
  if (!unknown.empty()) {
    MPI_Group fresh = predefined().group_null;
    if (pmpi().Group_incl(group, static_cast<int>(unknown.size()), unknown.data(), &fresh) != MPI_SUCCESS) return {};
    const auto number = static_cast<std::int32_t>(met_.size());
    met_.push_back({fresh, static_cast<int>(unknown.size())});
    count_.store(number + 1, std::memory_order_release);
    for (std::size_t i = 0; i < unknown.size(); ++i)
      processes[static_cast<std::size_t>(unknown[i])] = {number, static_cast<std::int32_t>(i)};
  }
  return RankMap::from_processes(processes, form);
}

void ProcessGroups::forget_all() {
  const std::lock_guard lock(mutex_);
  for (Met& met : met_)
    if (met.group != predefined().group_empty) pmpi().Group_free(&met.group);
  met_.clear();
  count_.store(0, std::memory_order_release);
}

bool has_foreign(const RankMap& map) {
  if (!map.tracked() || map.size() == 0 || !process_groups().met_foreign()) return false;
  if (map.only_group() >= 0) return map.only_group() != 0;
  for (int rank = 0; rank < map.size(); ++rank)
    if (map.process(rank).group != 0) return true;
  return false;
}

}  // namespace marshal
