// Makes the map of a new communicator: without communication if it follows from known maps, else by one exchange on the
// new communicator; never with processes that may run without Marshal.
#pragma once

#include <mpi.h>

#include <optional>

#include "communicators/communicator.h"
#include "rankmap/rank_map.h"

namespace marshal {

MapForm map_form_in_force();

// The map of an intracommunicator made from `parent` by a rule that only its members know (split, reordering): each
// gives its own rank in the parent. Collective over `made`; the parent must be of this job alone
// (Communicator::own_job), a condition on which all members agree.
RankMap map_by_exchange(MPI_Comm made, const RankMap& parent, int own_parent_rank);

// The map of a Cartesian or graph topology on `parent`, whose entry is `from`. If `reordered`, any process may have any
// rank, and the members tell each other; if not, the members are the parent's first ranks.
RankMap map_of_topology(MPI_Comm made, MPI_Comm parent, const Communicator& from, bool reordered);

// The first `size` ranks of the parent, as Cart_create and Graph_create without reordering take them.
RankMap map_of_prefix(const RankMap& parent, int size);

// Cart_sub of a grid that has the map `parent`: the sub-grid of this process. `grid` is the host's communicator, asked
// for its topology.
RankMap map_of_cart_sub(MPI_Comm grid, const RankMap& parent, const int* remain);

// The processes of a communicator whose map is not kept (MARSHAL_RANKMAP=off), learnt from the host, locally; the
// caller drops them. Nothing if the host fails, or if some process is of another job, which all members see alike.
std::optional<RankMap> map_for_once(MPI_Comm communicator);

// Asks the host to translate (process_groups.h): local, for communicators that Marshal did not see being made.
RankMap map_by_learning(MPI_Comm communicator);            // the local group
RankMap map_of_remote_by_learning(MPI_Comm communicator);  // the remote group of an intercommunicator

}  // namespace marshal
