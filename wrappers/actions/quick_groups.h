// Calls for groups that programs get, use and free again and again. Inlined into the entry points, since the calls take
// little longer than reaching an action.
#pragma once

#include <mpi.h>

#include "base/always_inline.h"
#include "communicators/communicators.h"
#include "communicators/groups.h"
#include "wrappers/entry/host_call.h"

namespace marshal::action {

// Only the first call for a communicator needs more than counting.
MARSHAL_ALWAYS_INLINE inline Quickly quick_comm_group(MPI_Comm comm, MPI_Group* group) noexcept {
  const Communicator* known = group == nullptr ? nullptr : books::find(comm);
  return known != nullptr && books::refer_to_group_of(*known) ? Quickly::passed_on : Quickly::unanswered;
}

MARSHAL_ALWAYS_INLINE inline Quickly quick_group_free(MPI_Group* group) noexcept {
  const bool counted = group == nullptr || books::release_one_of_several(*group);
  return counted ? Quickly::passed_on : Quickly::unanswered;
}

// True if the maps answered, faster than the host.
bool translate_from_maps(MPI_Group group1, int n, const int* ranks1, MPI_Group group2, int* ranks2) noexcept;

MARSHAL_ALWAYS_INLINE inline Quickly quick_group_translate_ranks(MPI_Group group1, int n, const int* ranks1,
                                                                 MPI_Group group2, int* ranks2) noexcept {
  return translate_from_maps(group1, n, ranks1, group2, ranks2) ? Quickly::answered : Quickly::passed_on;
}

}  // namespace marshal::action
