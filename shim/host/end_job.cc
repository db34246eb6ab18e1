#include "host/end_job.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "host/pmpi.h"

namespace marshal {

void end_job(MPI_Comm everybody, int status) {
  constexpr std::chrono::milliseconds to_be_read(300);
  std::this_thread::sleep_for(to_be_read);
  pmpi().Abort(everybody, status);
  std::_Exit(status);
}

}  // namespace marshal
