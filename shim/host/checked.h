// Checks the return codes of Marshal's own calls of the host.
#pragma once

#include <mpi.h>

#include <exception>

namespace marshal {

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

}  // namespace marshal
