// Return codes of Marshal's own calls of the host.
#pragma once

#include <mpi.h>

#include <exception>

namespace marshal {

// A call of the host's that Marshal made for itself failed. Nothing of the program depends on it: whoever is in the
// middle of such work gives it up, and the host's answer stands.
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
