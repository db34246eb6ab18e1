// Group calls. The map of a new group follows from those of its arguments. The maps answer calls at which hosts are
// slow.
//
// Marshal answers only if both groups are known and all ranks in range. All other calls, above all those with wrong
// arguments, go to the host with the program's own arguments.
#include "communicators/groups.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/attempt.h"
#include "communicators/communicators.h"
#include "communicators/internal_communicators.h"
#include "communicators/self_check.h"
#include "counters/event_counts.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "rankmap/group_algebra.h"
#include "settings/settings_in_force.h"
#include "wrappers/actions/quick.h"
#include "wrappers/entry/actions.h"

namespace marshal::action {
namespace {

using Ranks = std::vector<std::int32_t>;

bool is_made(int code, const MPI_Group* handle) {
  return code == MPI_SUCCESS && handle != nullptr && *handle != predefined().group_null;
}

// How to make the union, intersection or difference of two tracked groups. The new group then has a map; with
// `host_alone` the map is learnt when it is first needed.
enum class SetWay { maps, host, host_alone };

// Calls that the host answers at least as fast are left to it (`marshal bench rankmap groups`).
// Open MPI compares each process with all, 2 to 3 ns a pair; an answer from the maps begins at 35 ns. MPICH is linear:
// 1 ns a member of the group translated to, unless that has neighbours only, and 1.5 ns a rank asked for.
bool worth_translating(int n, const RankMap& to) {
  if (is_open_mpi()) return std::int64_t{n} * to.size() >= 16;
  const bool neighbours = to.formula() != nullptr && to.formula()->is_contiguous();
  return neighbours ? n >= 48 : to.size() >= 32;
}
bool worth_comparing(int size) { return size >= (is_open_mpi() ? 4 : 48); }
SetWay way_of(const RankMap& first, const RankMap& second) {
  if (!settings().asks_host) return SetWay::host;
  if (is_open_mpi()) return std::int64_t{first.size()} * second.size() < 16 ? SetWay::host : SetWay::maps;
  return first.size() + second.size() < 1024 ? SetWay::host_alone : SetWay::maps;
}

// With MARSHAL_RANKMAP=derived all answers are the host's own.
bool answers_any() { return settings().asks_host; }
// With the self-check Marshal gives every answer, whatever the size.
bool answers_all() { return checks_itself(); }

// The map of a group, if it is tracked; null if the group has no entry, or no maps are kept.
const RankMap* tracked(MPI_Group group, books::Operand as = books::Operand::first) {
  const RankMap* map = books::find_group(group, as);
  return map != nullptr && map->tracked() ? map : nullptr;
}

ObjectPlace& place_of(const HostCall& host) { return object_place(name_of(host.call), host.caller); }

// Enters a new group. If there is no memory for it, it is learnt when it is first needed.
template <class Enter>
void enter_or_forget(MPI_Group handle, Enter&& enter) {
  if (!HostCall::own(std::forward<Enter>(enter))) books::forget_group(handle);
}

}  // namespace

// It is learnt when it is first needed; only an older group's entry under the handle must go.
int learn_later(HostCall& host, MPI_Group* group) {
  const int code = host();
  if (!is_made(code, group)) return code;
  books::forget_group(*group);
  books::count_group(place_of(host), *group);
  return code;
}

namespace {

// The group of a window or file on a communicator with that map.
int of_map(HostCall& host, const RankMap* map, MPI_Group* group) {
  if (map == nullptr) return learn_later(host, group);
  const int code = host();
  if (is_made(code, group)) enter_or_forget(*group, [&] { books::enter_group(place_of(host), *group, *map); });
  return code;
}

// The host makes the group of those of `group` that ranks_of(its size) gives, or nothing where they are wrong. (Hosts
// let a rank be named twice, though MPI forbids it; such a group has no map.)
template <class RanksOf>
int select(HostCall& host, MPI_Group group, MPI_Group* newgroup, RanksOf ranks_of) {
  const int code = host();
  if (!is_made(code, newgroup)) return code;
  const RankMap* map = tracked(group);
  enter_or_forget(*newgroup, [&] {
    const auto ranks = map != nullptr ? ranks_of(map->size()) : std::nullopt;
    if (ranks) return books::enter_group(place_of(host), *newgroup, map->derive(*ranks));
    books::forget_group(*newgroup);
    books::count_group(place_of(host), *newgroup);
  });
  return code;
}

// The relation of two tracked groups, or nothing if the host is to answer.
std::optional<GroupRelation> relation_of(const RankMap& first, const RankMap& second) {
  if (!first.tracked() || !second.tracked() || !answers_any()) return std::nullopt;
  if (first.size() != second.size()) return GroupRelation::unequal;
  if (!worth_comparing(first.size()) && !answers_all()) return std::nullopt;
  std::optional<GroupRelation> relation;
  HostCall::own([&] { relation = compare(first, second); });
  return relation;
}

int result_of(GroupRelation relation, int when_identical) {
  switch (relation) {
    case GroupRelation::identical:
      return when_identical;
    case GroupRelation::similar:
      return MPI_SIMILAR;
    default:
      return MPI_UNEQUAL;
  }
}

std::vector<RankRange> as_ranges(const int* triplets, int n) {
  std::vector<RankRange> ranges(static_cast<std::size_t>(n));
  for (RankRange& range : ranges)
    for (std::int32_t& word : range) word = *triplets++;
  return ranges;
}

// One inclusion of those ranks of `group` is linear work on both hosts.
int include(MPI_Group group, const Ranks& ranks, MPI_Group* made) {
  return pmpi().Group_incl(group, static_cast<int>(ranks.size()), ranks.data(), made);
}

// The lpids of a map's ranks, if all are of that process group.
std::optional<Ranks> lpids_in(const RankMap& map, std::int32_t group) {
  Ranks lpids(static_cast<std::size_t>(map.size()));
  for (std::int32_t rank = 0; rank < map.size(); ++rank) {
    const Process process = map.process(rank);
    if (process.group != group) return std::nullopt;
    lpids[static_cast<std::size_t>(rank)] = process.lpid;
  }
  return lpids;
}

template <class Ranks_of>
int select_from_first(HostCall& host, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup, Ranks_of ranks_of) {
  const RankMap* first = tracked(group1);
  const RankMap* second = tracked(group2, books::Operand::second);
  if (first == nullptr || second == nullptr || newgroup == nullptr) return learn_later(host, newgroup);
  const SetWay way = answers_all() ? SetWay::maps : way_of(*first, *second);
  if (way == SetWay::host_alone) return learn_later(host, newgroup);
  Ranks ranks;
  if (!HostCall::own([&] { ranks = ranks_of(*first, *second); })) return learn_later(host, newgroup);
  const int code = way == SetWay::maps ? host.instead([&] { return include(group1, ranks, newgroup); }) : host();
  if (is_made(code, newgroup))
    enter_or_forget(*newgroup, [&] { books::enter_group(place_of(host), *newgroup, first->derive(ranks)); });
  return code;
}

}  // namespace

int comm_group(HostCall& host, MPI_Comm comm, MPI_Group* group) {
  const int code = host();
  if (!is_made(code, group)) return code;
  if (const Communicator* communicator = books::known(comm))
    enter_or_forget(*group, [&] { books::enter_group_of(place_of(host), *group, *communicator); });
  else
    books::count_group(place_of(host), *group);
  return code;
}

int comm_remote_group(HostCall& host, MPI_Comm comm, MPI_Group* group) {
  const int code = host();
  if (!is_made(code, group)) return code;
  const Communicator* communicator = books::known(comm);
  if (communicator != nullptr && communicator->remote)
    enter_or_forget(*group, [&] { books::enter_group(place_of(host), *group, *communicator->remote); });
  else
    books::count_group(place_of(host), *group);
  return code;
}

int group_incl(HostCall& host, MPI_Group group, int n, const int* ranks, MPI_Group* newgroup) {
  return select(host, group, newgroup, [=](std::int32_t size) {
    const std::span named(ranks, static_cast<std::size_t>(n));
    return valid_ranks(size, named) ? std::optional(named) : std::nullopt;
  });
}

int group_excl(HostCall& host, MPI_Group group, int n, const int* ranks, MPI_Group* newgroup) {
  return select(host, group, newgroup,
                [=](std::int32_t size) { return all_but(size, std::span(ranks, static_cast<std::size_t>(n))); });
}

int group_range_incl(HostCall& host, MPI_Group group, int n, const int* ranges, MPI_Group* newgroup) {
  return select(host, group, newgroup, [=](std::int32_t size) { return expand_ranges(size, as_ranges(ranges, n)); });
}

int group_range_excl(HostCall& host, MPI_Group group, int n, const int* ranges, MPI_Group* newgroup) {
  return select(host, group, newgroup, [=](std::int32_t size) {
    const std::optional<Ranks> excluded = expand_ranges(size, as_ranges(ranges, n));
    return excluded ? all_but(size, *excluded) : std::nullopt;
  });
}

int group_intersection(HostCall& host, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return select_from_first(host, group1, group2, newgroup, intersection);
}

int group_difference(HostCall& host, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return select_from_first(host, group1, group2, newgroup, difference);
}

int group_union(HostCall& host, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  const RankMap* first = tracked(group1);
  const RankMap* second = tracked(group2, books::Operand::second);
  if (first == nullptr || second == nullptr || newgroup == nullptr) return learn_later(host, newgroup);
  const SetWay way = answers_all() ? SetWay::maps : way_of(*first, *second);
  if (way == SetWay::host_alone) return learn_later(host, newgroup);
  RankMap both;
  std::int32_t number = 0;
  std::optional<Ranks> lpids;
  const bool known = HostCall::own([&] {
    both = set_union(*first, *second);
    // The host can do it in one inclusion if one group of its has them all.
    if (both.size() > 0) number = both.process(0).group;
    if (way == SetWay::maps) lpids = lpids_in(both, number);
  });
  if (!known) return learn_later(host, newgroup);
  const int code =
      lpids ? host.instead([&] { return include(process_groups().host_group(number), *lpids, newgroup); }) : host();
  if (is_made(code, newgroup)) enter_or_forget(*newgroup, [&] { books::enter_group(place_of(host), *newgroup, both); });
  return code;
}

bool translate_from_maps(MPI_Group group1, int n, const int* ranks1, MPI_Group group2, int* ranks2) noexcept {
  // If a rank is wrong, the host must see the ranks as they were.
  if (n < 1 || ranks1 == nullptr || ranks2 == nullptr || ranks1 == ranks2) return false;
  const RankMap* to = tracked(group2, books::Operand::second);
  if (to == nullptr || (!worth_translating(n, *to) && !answers_all())) return false;
  const RankMap* from = tracked(group1);
  if (from == nullptr || !answers_any()) return false;
  // Both hosts say MPI_UNDEFINED even of MPI_PROC_NULL when a group is empty.
  if (from->size() == 0 || to->size() == 0) return false;
  const auto count = static_cast<std::size_t>(n);
  const RankSentinels sentinels{MPI_UNDEFINED, MPI_PROC_NULL};
  bool translated = false;
  attempt([&] {
    const counters::Measured measured(counters::Work::translation);
    translated = translate(*from, {ranks1, count}, *to, sentinels, {ranks2, count});
    if (translated) marshal::count(Tally::ranks_translated, count);
  });
  return translated;
}

int group_translate_ranks(HostCall& host, MPI_Group group1, int n, const int* ranks1, MPI_Group group2, int* ranks2) {
  if (!translate_from_maps(group1, n, ranks1, group2, ranks2)) return host();
  return MPI_SUCCESS;
}

int group_compare(HostCall& host, MPI_Group group1, MPI_Group group2, int* result) {
  const RankMap* first = tracked(group1);
  const RankMap* second = first == nullptr ? nullptr : tracked(group2, books::Operand::second);
  const auto relation = second == nullptr || result == nullptr ? std::nullopt : relation_of(*first, *second);
  if (!relation) return host();
  *result = result_of(*relation, MPI_IDENT);
  return MPI_SUCCESS;
}

int comm_compare(HostCall& host, MPI_Comm comm1, MPI_Comm comm2, int* result) {
  if (comm1 == comm2 || result == nullptr) return host();
  const Communicator* first = books::find(comm1);
  const Communicator* second = first == nullptr ? nullptr : books::find(comm2);
  // The host compares intercommunicators.
  if (second == nullptr || first->remote || second->remote) return host();
  const auto relation = relation_of(first->map, second->map);
  if (!relation) return host();
  *result = result_of(*relation, MPI_CONGRUENT);
  return MPI_SUCCESS;
}

int win_get_group(HostCall& host, MPI_Win win, MPI_Group* group) {
  return of_map(host, books::map_of_window_or_file(win), group);
}
int file_get_group(HostCall& host, MPI_File file, MPI_Group* group) {
  return of_map(host, books::map_of_window_or_file(file), group);
}

int group_free(HostCall& host, MPI_Group* group) {
  if (group != nullptr) books::release_group(*group);
  const books::GroupReleased released;
  return host();
}

}  // namespace marshal::action
