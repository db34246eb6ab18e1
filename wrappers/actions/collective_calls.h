// Collective calls by nodes and by calls share this.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "host/handles.h"
#include "wrappers/entry/host_call.h"

namespace marshal::action {

// The processes of a communicator that is certainly right, and has one group; 0 for all others.
int processes_of(MPI_Comm comm);

// Array arguments with a type for each block. In Fortran they are numbers.
class TypesInC {
 public:
  // Valid as long as this is. Throws std::bad_alloc.
  const MPI_Datatype* read(Binding binding, const MPI_Datatype* types, int count) {
    if (binding == Binding::c || types == nullptr) return types;
    const MPI_Fint* const numbers = static_cast<const MPI_Fint*>(static_cast<const void*>(types));
    converted_.resize(static_cast<std::size_t>(count) + 1);  // not null
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) from_fortran(numbers[k], converted_[k]);
    return converted_.data();
  }

 private:
  std::vector<MPI_Datatype> converted_;
};

// MPI_Alltoallw whose buffers the host gets as they are or packed (calls/by_calls.h).
int alltoallw_by_calls(HostCall& host, void* sendbuf, const int* sendcounts, const int* sdispls,
                       const MPI_Datatype* sendtypes, void* recvbuf, const int* counts, const int* rdispls,
                       const MPI_Datatype* types, MPI_Comm comm);

}  // namespace marshal::action
