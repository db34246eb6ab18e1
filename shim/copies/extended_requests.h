// Requests for the program around requests of the host, with work that is done once the inner one has ended: extended
// generalized requests, which every MPICH has. Source: R. Latham, W. Gropp, R. Ross, R. Thakur, Extending the MPI-2
// Generalized Request Interface, EuroPVM/MPI 2007.
//
// A call of the program that completes requests gets the inner ones (inner_requests.h): so its codes, statuses and
// error handlers are the host's own. In calls that Marshal does not see, the host itself polls them, except in
// MPI_Request_get_status on some versions. It frees them as its own.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/relaxed.h"
#include "copies/completion.h"
#include "copies/extended_state.h"

namespace marshal {

// One that is about to be started.
class ExtendedRequest {
 public:
  // True if the host has such requests.
  static bool exist();
  // In MPI_Init, once they were tried (extended_trial.h).
  static void begin() { work_ = true; }
  // True from begin() on.
  [[gnu::always_inline]] static bool work() { return work_; }
  // True once one was started. Entry points ask it.
  [[gnu::always_inline]] static bool any() { return any_extended_requests; }

  // All memory is taken here. Throws std::bad_alloc.
  explicit ExtendedRequest(std::unique_ptr<Completion> completion);
  ~ExtendedRequest();
  ExtendedRequest(const ExtendedRequest&) = delete;
  ExtendedRequest& operator=(const ExtendedRequest&) = delete;

  // Where the host's call puts its request.
  MPI_Request* inner();
  // Makes the program's request around the inner one. Returns the host's code, which its error handlers had. Where it
  // is none of success, the inner request is finished in later calls, and `made` is not touched. Once.
  int start(MPI_Request* made);

  // Before MPI_Request_free of `request`: if it is one of these and has not ended, later calls finish it
  // (left_requests.h).
  static void leave(MPI_Request request) noexcept;
  // In MPI_Finalize: what is left then is the host's.
  static void end() noexcept;

 private:
  static inline constinit Relaxed<bool> work_{false};
  ExtendedState* state_;
};

}  // namespace marshal
