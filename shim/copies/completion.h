// The work that is done once the request inside an extended one has ended (extended_requests.h).
#pragma once

#include <mpi.h>

namespace marshal {

class Completion {
 public:
  Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;
  virtual ~Completion() = default;
  // Once, on any thread. `code`: what the host says of the inner request, whose status is `status`. The program gets
  // both, unless another code is returned: that of an error of which no handler knows yet.
  virtual int ended(MPI_Status& status, int code) noexcept = 0;
  // Tells the program's error handler of such an error. It may throw.
  virtual void tell_handler(int /*error*/) {}
};

}  // namespace marshal
