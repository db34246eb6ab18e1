// How many communicators the host lets a process have at once: as the host tells, or as a table by version knows.
#pragma once

#include <cstdint>
#include <string_view>

namespace marshal {

// A communicator takes one of the host's context ids in each of its processes. So does one that the host makes for a
// window or a file.
struct CommunicatorLimit {
  std::uint64_t most = 0;  // context ids of a process; 0: not known
  // By the host's own communicators, MPI_COMM_WORLD among them, and the one that Marshal makes.
  std::uint64_t taken = 0;
  std::string_view host{};  // a literal: "MPICH"
};

// By the text of MPI_Get_library_version. Unknown for Open MPI, where it depends on a component that the run chooses.
CommunicatorLimit limit_of_version(std::string_view version);

// The limit of Open MPI 4. `pml`: its symbol mca_pml, which holds the component of messages that the run uses; null: it
// has none. `tag_ub`: the value of MPI_TAG_UB, which stands there beside the limit. Unknown where the two do not agree.
CommunicatorLimit limit_of_openmpi(std::string_view version, const void* pml, int tag_ub);

}  // namespace marshal
