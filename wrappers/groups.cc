// Groups: their maps follow from those that they are made of, and what hosts are slow at is answered from the maps.
//
// Only what is certain is answered here: both groups known, all ranks in range. Everything else, wrong arguments above
// all, goes to the host with the program's own arguments.
#include "host/groups.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "counters/event_counts.h"
#include "host/communicators.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "host/settings.h"
#include "rankmap/group_algebra.h"
#include "wrappers/actions.h"

namespace marshal::action {
namespace {

using Ranks = std::vector<std::int32_t>;

bool made(int code, const MPI_Group* handle) {
  return code == MPI_SUCCESS && handle != nullptr && *handle != predefined().group_null;
}

// Below these numbers of ranks asked for, and of members, the host is as fast as a look at the books: Open MPI compares
// each with all members, MPICH is linear and has little to set up (`marshal bench rankmap --mpi`).
#ifdef MARSHAL_HOST_OPENMPI
constexpr int small_question = 1, small_group = 8;
#else
constexpr int small_question = 128, small_group = 32;
#endif

// The self-check has every answer given here, whatever the size.
bool answers_all() { return settings().on(Option::kSelfCheck); }

// The map of a group that can be reckoned with; null for what is not on the books, and for all when no maps are kept.
const RankMap* tracked(MPI_Group group) {
  const RankMap* map = books::find_group(group);
  return map != nullptr && map->tracked() ? map : nullptr;
}

// Learnt when somebody asks for it; only what an older group left under the handle must go.
int learn_later(HostCall& host, MPI_Group* group) {
  const int code = host();
  if (made(code, group)) books::forget_group(*group);
  return code;
}

// The host makes the group; its map is `parent`'s at those ranks, if they are certain.
void enter_ranks(HostCall& host, const RankMap& parent, const std::optional<Ranks>& ranks, MPI_Group handle) {
  if (ranks)
    books::enter_group(name_of(host.call), handle, parent.derive(*ranks));
  else
    books::forget_group(handle);
}

// Sizes that differ are as plain to the host.
bool worth_comparing(const RankMap& first, const RankMap& second) {
  if (!first.tracked() || !second.tracked()) return false;
  return (first.size() == second.size() && first.size() >= small_group) || answers_all();
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

// The host's own set operations compare every process with every other; taking the ranks that the maps give does not.
template <class Ranks_of>
int select_from_first(HostCall& host, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup, Ranks_of ranks_of) {
  const RankMap* first = tracked(group1);
  const RankMap* second = tracked(group2);
  if (first == nullptr || second == nullptr || newgroup == nullptr) return learn_later(host, newgroup);
  const Ranks ranks = ranks_of(*first, *second);
  const int code = pmpi().Group_incl(group1, static_cast<int>(ranks.size()), ranks.data(), newgroup);
  if (made(code, newgroup)) books::enter_group(name_of(host.call), *newgroup, first->derive(ranks));
  return code;
}

}  // namespace

int comm_group(HostCall& host, MPI_Comm comm, MPI_Group* group) {
  const int code = host();
  if (!made(code, group)) return code;
  if (const Communicator* communicator = books::known(comm))
    books::enter_group(name_of(host.call), *group, communicator->map);
  return code;
}

int comm_remote_group(HostCall& host, MPI_Comm comm, MPI_Group* group) {
  const int code = host();
  if (!made(code, group)) return code;
  const Communicator* communicator = books::known(comm);
  if (communicator != nullptr && communicator->remote)
    books::enter_group(name_of(host.call), *group, *communicator->remote);
  return code;
}

int group_incl(HostCall& host, MPI_Group group, int n, const int* ranks, MPI_Group* newgroup) {
  const int code = host();
  if (!made(code, newgroup)) return code;
  const RankMap* map = tracked(group);
  if (map == nullptr) {
    books::forget_group(*newgroup);
    return code;
  }
  // Hosts let a rank be named twice, though MPI forbids it; such a group has no map.
  const std::span<const std::int32_t> named(ranks, static_cast<std::size_t>(n));
  if (valid_ranks(map->size(), named))
    books::enter_group(name_of(host.call), *newgroup, map->derive(named));
  else
    books::forget_group(*newgroup);
  return code;
}

int group_excl(HostCall& host, MPI_Group group, int n, const int* ranks, MPI_Group* newgroup) {
  const int code = host();
  if (!made(code, newgroup)) return code;
  const RankMap* map = tracked(group);
  if (map == nullptr) return books::forget_group(*newgroup), code;
  enter_ranks(host, *map, all_but(map->size(), std::span(ranks, static_cast<std::size_t>(n))), *newgroup);
  return code;
}

int group_range_incl(HostCall& host, MPI_Group group, int n, const int* ranges, MPI_Group* newgroup) {
  const int code = host();
  if (!made(code, newgroup)) return code;
  const RankMap* map = tracked(group);
  if (map == nullptr) return books::forget_group(*newgroup), code;
  enter_ranks(host, *map, expand_ranges(map->size(), as_ranges(ranges, n)), *newgroup);
  return code;
}

int group_range_excl(HostCall& host, MPI_Group group, int n, const int* ranges, MPI_Group* newgroup) {
  const int code = host();
  if (!made(code, newgroup)) return code;
  const RankMap* map = tracked(group);
  if (map == nullptr) return books::forget_group(*newgroup), code;
  const std::optional<Ranks> excluded = expand_ranges(map->size(), as_ranges(ranges, n));
  enter_ranks(host, *map, excluded ? all_but(map->size(), *excluded) : std::nullopt, *newgroup);
  return code;
}

int group_intersection(HostCall& host, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return select_from_first(host, group1, group2, newgroup, intersection);
}

int group_difference(HostCall& host, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return select_from_first(host, group1, group2, newgroup, difference);
}

int group_union(HostCall& host, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  const RankMap* first = tracked(group1);
  const RankMap* second = tracked(group2);
  if (first == nullptr || second == nullptr || newgroup == nullptr) return learn_later(host, newgroup);
  RankMap both = set_union(*first, *second);
  // One inclusion needs one group of the host that has them all.
  Ranks lpids;
  lpids.reserve(static_cast<std::size_t>(both.size()));
  const std::int32_t number = both.size() > 0 ? both.process(0).group : 0;
  for (std::int32_t rank = 0; rank < both.size(); ++rank) {
    const Process process = both.process(rank);
    if (process.group != number) break;
    lpids.push_back(process.lpid);
  }
  const bool one_group = lpids.size() == static_cast<std::size_t>(both.size());
  const int code = one_group ? pmpi().Group_incl(process_groups().host_group(number), static_cast<int>(lpids.size()),
                                                 lpids.data(), newgroup)
                             : host();
  if (made(code, newgroup)) books::enter_group(name_of(host.call), *newgroup, std::move(both));
  return code;
}

int group_translate_ranks(HostCall& host, MPI_Group group1, int n, const int* ranks1, MPI_Group group2, int* ranks2) {
  // The host gets to see the ranks as they were, should one of them be wrong.
  if ((n < small_question && !answers_all()) || ranks1 == nullptr || ranks2 == nullptr || ranks1 == ranks2)
    return host();
  const RankMap* from = tracked(group1);
  const RankMap* to = from == nullptr ? nullptr : tracked(group2);
  if (to == nullptr || (to->size() < small_group && !answers_all())) return host();
  // Both hosts say MPI_UNDEFINED even of MPI_PROC_NULL when a group is empty.
  if (from->size() == 0 || to->size() == 0) return host();
  const auto count = static_cast<std::size_t>(n);
  const RankSentinels sentinels{MPI_UNDEFINED, MPI_PROC_NULL};
  {
    const counters::Measured measured(counters::Work::translation);
    if (translate(*from, {ranks1, count}, *to, sentinels, {ranks2, count})) {
      marshal::count(Tally::ranks_translated, count);
      return MPI_SUCCESS;
    }
  }
  return host();
}

int group_compare(HostCall& host, MPI_Group group1, MPI_Group group2, int* result) {
  const RankMap* first = tracked(group1);
  const RankMap* second = first == nullptr ? nullptr : tracked(group2);
  if (second == nullptr || result == nullptr || !worth_comparing(*first, *second)) return host();
  *result = result_of(compare(*first, *second), MPI_IDENT);
  return MPI_SUCCESS;
}

int comm_compare(HostCall& host, MPI_Comm comm1, MPI_Comm comm2, int* result) {
  if (comm1 == comm2 || result == nullptr) return host();
  const Communicator* first = books::find(comm1);
  const Communicator* second = first == nullptr ? nullptr : books::find(comm2);
  // What intercommunicators are to each other is left to the host.
  if (second == nullptr || first->remote || second->remote || !worth_comparing(first->map, second->map)) return host();
  *result = result_of(compare(first->map, second->map), MPI_CONGRUENT);
  return MPI_SUCCESS;
}

#if MPI_VERSION >= 4
int group_from_session_pset(HostCall& host, MPI_Session, const char*, MPI_Group* newgroup) {
  return learn_later(host, newgroup);
}
#endif
int win_get_group(HostCall& host, MPI_Win, MPI_Group* group) { return learn_later(host, group); }
int file_get_group(HostCall& host, MPI_File, MPI_Group* group) { return learn_later(host, group); }

int group_free(HostCall& host, MPI_Group* group) {
  if (group != nullptr) books::release_group(*group);
  return host();
}

}  // namespace marshal::action
