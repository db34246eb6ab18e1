// The maps of groups that are alive.
#pragma once

#include <mpi.h>

#include "rankmap/rank_map.h"

namespace marshal {
struct Communicator;
}

namespace marshal::books {

// Lock free; null for what is not tracked. Valid until the group is freed.
const RankMap* find_group(MPI_Group handle);

// The same; a group made unseen is learnt from the host first. Null for what is no group.
const RankMap* known_group(MPI_Group handle);

// `call` is what made the group. Hosts give out a handle again and count references (MPI_Comm_group of both): an entry
// counts them too.
void enter_group(const char* call, MPI_Group handle, const RankMap& map);

// The group that MPI_Comm_group gave for a communicator on the books, by one reference more. As long as the
// communicator lives, the host gives out the same handle for it, and the entry stays.
void enter_group_of(const char* call, MPI_Group handle, const Communicator& communicator);
// One reference more, before the host gives it out, and true; false if enter_group_of() has yet to tell the handle.
bool refer_to_group_of(const Communicator& communicator) noexcept;
// The communicator ends.
void forget_group_of(const Communicator& communicator) noexcept;

// One reference less, before the host frees it: the handle may be given out again at once. (Should the host then
// refuse, the group is learnt again when it is next asked for.)
void release_group(MPI_Group handle);
// The same without a lock, if others remain, and true.
bool release_one_of_several(MPI_Group handle) noexcept;
void forget_group(MPI_Group handle);

struct GroupTotals {
  std::size_t alive = 0, map_bytes = 0;
};
GroupTotals group_totals();

}  // namespace marshal::books
