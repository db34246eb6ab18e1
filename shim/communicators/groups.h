// The book of groups: the maps of the groups that are alive.
#pragma once

#include <mpi.h>

#include <vector>

#include "callsites/object_place.h"
#include "host/handles.h"
#include "rankmap/rank_map.h"

namespace marshal {
struct Communicator;
}

namespace marshal::books {

// Two groups may be in use at once.
enum class Operand : std::size_t { first, second };

// Null if the group is not in the book, or there is no memory to note that this thread uses it (EntriesInUse). Valid
// until this thread looks up another one for that operand.
const RankMap* find_group(MPI_Group handle, Operand as = Operand::first);

// The same, but a group made unseen is learnt from the host first. Null if `handle` is no group, or the host is not to
// be asked.
const RankMap* known_group(MPI_Group handle);

// `made_at` is the place of the call that made the group. Hosts may return one handle several times and count
// references (MPI_Comm_group in both): an entry counts them too.
void enter_group(ObjectPlace& made_at, MPI_Group handle, const RankMap& map);

// The same for MPI_Comm_group of a communicator in the book. As long as the communicator lives, the host returns the
// same handle for it, and the entry stays.
void enter_group_of(ObjectPlace& made_at, MPI_Group handle, const Communicator& communicator);
// Counts one more reference before the host returns it, and returns true; false if enter_group_of() was not called yet.
bool refer_to_group_of(const Communicator& communicator) noexcept;
// A group that is learnt when it is first needed: only counted, until it is freed.
void count_group(ObjectPlace& made_at, MPI_Group handle) noexcept;
// The communicator ends.
void forget_group_of(const Communicator& communicator) noexcept;

// Counts one reference less, before the host frees it: the handle may be reused at once. (If the host then refuses, the
// group is learnt again when it is next used.)
void release_group(MPI_Group handle);
// The same without a lock if other references remain; returns whether they do.
bool release_one_of_several(MPI_Group handle) noexcept;
void forget_group(MPI_Group handle);

// While it lives, this thread is inside an MPI_Group_free whose reference is released already: the host's Fortran layer
// or another tool comes back by MPI_Group_free or PMPI_Group_free, which do nothing more then.
class GroupReleased {
 public:
  GroupReleased() { within = true; }
  ~GroupReleased() { within = false; }
  GroupReleased(const GroupReleased&) = delete;
  GroupReleased& operator=(const GroupReleased&) = delete;

  static inline thread_local constinit bool within [[gnu::tls_model("initial-exec")]] = false;
};
// Counts one reference less, of a group of which not all references were seen, before the host frees it.
void release_group_unseen(MPI_Group handle);

// The place of each group that is in the book for its communicator alone: the program has freed it.
std::vector<const ObjectPlace*> places_of_groups_kept();

struct GroupTotals {
  std::size_t alive = 0, map_bytes = 0;
};
GroupTotals group_totals();

}  // namespace marshal::books
