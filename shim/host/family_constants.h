// Values that differ between the ABIs of MPI libraries, for code that is compiled without an mpi.h. The library of each
// family compares its row with its mpi.h.
#pragma once

#include "host/host_family.h"

namespace marshal {

struct FamilyConstants {
  int err_count, err_no_mem, err_unsupported_operation;
  int proc_null, root;
  int cart, graph, dist_graph;
  long in_place;
  long comm_null;  // 0: not a constant
};

// In the order of HostFamily. Of an unknown MPI the classes of errors that most have; no rank or address is special.
inline constexpr FamilyConstants family_constants[] = {
    {2, 39, 52, -2, -4, 1, 2, 3, 1, 0},            // Open MPI
    {2, 34, 44, -1, -3, 2, 1, 3, -1, 0x04000000},  // MPICH
    {2, 39, 55, -3, -4, 211, 212, 213, 1, 256},    // the standard ABI
    {2, 39, 52, 1, 1, -1, -1, -1, 1, 0},
};

constexpr const FamilyConstants& constants_of(HostFamily family) { return family_constants[static_cast<int>(family)]; }

}  // namespace marshal
