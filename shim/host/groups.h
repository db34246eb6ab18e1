// The maps of groups that are alive.
#pragma once

#include <mpi.h>

#include "rankmap/rank_map.h"

namespace marshal::books {

// Lock free; null for what is not tracked. Valid until the group is freed.
const RankMap* find_group(MPI_Group handle);

// The same; a group made unseen is learnt from the host first. Null for what is no group.
const RankMap* known_group(MPI_Group handle);

// `call` is what made the group. Hosts give out a handle again and count references (MPI_Comm_group of both): an entry
// counts them too.
void enter_group(const char* call, MPI_Group handle, const RankMap& map);

// One reference less, before the host frees it: the handle may be given out again at once. (Should the host then
// refuse, the group is learnt again when it is next asked for.)
void release_group(MPI_Group handle);
void forget_group(MPI_Group handle);

struct GroupTotals {
  std::size_t alive = 0, map_bytes = 0;
};
GroupTotals group_totals();

}  // namespace marshal::books
