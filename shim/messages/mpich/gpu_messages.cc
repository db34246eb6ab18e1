#include "messages/mpich/gpu_messages.h"

#include <mpi.h>

#include "host/next_symbol.h"

namespace marshal::gpu_messages {

// MPICH is asked by MPIX_GPU_query_support: in MPICH 3.4 an assertion ends every program that calls
// MPIX_Query_cuda_support.
bool are_possible() {
  enum : int { cuda = 0, ze = 1, hip = 2 };  // MPICH's MPIX_GPU_SUPPORT_*
  if (auto* const ask = reinterpret_cast<int (*)(int, int*)>(find_host_symbol("MPIX_GPU_query_support"))) {
    const auto supports = [&](int kind) {
      int answer = 0;
      return ask(kind, &answer) == MPI_SUCCESS && answer != 0;
    };
    // To ask for a kind that it does not know would be an error.
    return supports(cuda) || supports(ze) || (find_host_symbol("MPIX_Query_hip_support") != nullptr && supports(hip));
  }
  auto* const has_cuda = reinterpret_cast<int (*)()>(find_host_symbol("MPIX_Query_cuda_support"));
  return has_cuda != nullptr && has_cuda() != 0;
}

}  // namespace marshal::gpu_messages
