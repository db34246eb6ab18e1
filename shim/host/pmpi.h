// The host's own functions, by their PMPI names, found at run time: the library has no undefined MPI symbol, so that it
// loads in any process.
#pragma once

#include <mpi.h>

#include <exception>

// Of later standards than the mpi.h of this build may be.
#if MPI_VERSION < 4
#ifdef OPEN_MPI
using MPI_Session = struct ompi_instance_t*;
#else
using MPI_Session = int;
#endif
#endif

namespace marshal {

// Later standards deprecate some; older hosts have nothing else.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
struct Pmpi {
#define MARSHAL_PMPI(name) decltype(&::PMPI_##name) name = nullptr;
#define MARSHAL_PMPI_IF_THERE(result, name, ...) result (*name)(__VA_ARGS__) = nullptr;
#include "host/pmpi.table"
#undef MARSHAL_PMPI
#undef MARSHAL_PMPI_IF_THERE
};
#pragma GCC diagnostic pop

const Pmpi& pmpi();  // complete after meet_host(), constant from then on
bool find_pmpi();    // looks all of them up; false when the host lacks one that it must have, with one line for the job

// For communicators that are known to be good: a failure gives rank 0, size 0.
inline int own_rank(MPI_Comm communicator) {
  int rank = 0;
  pmpi().Comm_rank(communicator, &rank);
  return rank;
}

inline int size_of(MPI_Comm communicator) {
  int size = 0;
  pmpi().Comm_size(communicator, &size);
  return size;
}

// After MPI_Init: true if several threads may be in MPI at once, or if the host does not say. Thread safe.
inline bool threads_enter_at_once() {
  int level = MPI_THREAD_MULTIPLE;
  pmpi().Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

// A host's call that Marshal made for itself failed. The program does not depend on it: the work in progress is given
// up, and the host's answer stands.
struct HostFailed : std::exception {
  explicit HostFailed(const char* function) : call(function) {}
  const char* what() const noexcept override { return call; }
  const char* const call;
};

// `code` is what the host's `call`, a literal, returned.
inline void checked(const char* call, int code) {
  if (code != MPI_SUCCESS) throw HostFailed(call);
}

// After an error line: ends all processes of `everybody` with this exit status. It waits a moment first, as MPICH's
// launcher throws away what it has not read yet when a rank asks it to abort.
[[noreturn]] void end_job(MPI_Comm everybody, int status);

}  // namespace marshal
