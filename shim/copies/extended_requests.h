// Requests for the program around requests of the host, with work that is done once the inner one has ended: extended
// generalized requests, which every MPICH has. Source: R. Latham, W. Gropp, R. Ross, R. Thakur, Extending the MPI-2
// Generalized Request Interface, EuroPVM/MPI 2007.
//
// A call of the program that completes requests gets the inner ones (InnerRequests): so its codes, statuses and
// error handlers are the host's own. In calls that Marshal does not see, the host itself polls them, except in
// MPI_Request_get_status on some versions. It frees them as its own.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/relaxed.h"
#include "copies/extended_state.h"
#include "host/predefined.h"

namespace marshal {

// True if the program freed some before they had ended. Calls of the program finish them, as they do on the bare host.
inline constinit Relaxed<bool> any_left_requests;

// Finishes those that have ended. Where very many have not, it asks for some of them in each call, all in turn. Outside
// of the host. Thread safe.
void finish_left_requests() noexcept;

// Takes one over, whose owner the list is.
void add_left_request(ExtendedState& state) noexcept;
// In MPI_Finalize: those that have not ended are the host's.
void end_left_requests() noexcept;

// One that is about to be started.
class ExtendedRequest {
 public:
  // True if the host has such requests.
  static bool exist();
  // In MPI_Init, once they were tried.
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

  // Before MPI_Request_free of `request`: if it is one of these and has not ended, later calls finish it.
  static void leave(MPI_Request request) noexcept;
  // In MPI_Finalize: what is left then is the host's.
  static void end() noexcept;

 private:
  static inline constinit Relaxed<bool> work_{false};
  ExtendedState* state_;
};

// In MPI_Init: sends messages to this process itself through such requests, and begins them if they come out right.
// `self`: a communicator of Marshal's own, whose errors return. Local.
void try_out_extended_requests(MPI_Comm self);

// The requests of a call of the program that completes some, as the host's function gets them: in the place of each
// extended request stands the one inside it.
class InnerRequests {
 public:
  InnerRequests() = default;
  InnerRequests(const InnerRequests&) = delete;
  InnerRequests& operator=(const InnerRequests&) = delete;
  // Requests of the program that have ended become null. Messages that have ended are unpacked also where a
  // handler of the program has thrown.
  ~InnerRequests();

  // False where there are none that this thread may end. Throws std::bad_alloc.
  bool begin(MPI_Request* of_program, std::int64_t count);

  // For the host, in place of the program's.
  MPI_Request* data() { return for_host_.empty() ? held_.front().state->place : for_host_.data(); }

  // Behind the host's call: visit(place in the array, state) for each extended request that has ended in it.
  template <class Visit>
  void for_each_ended(Visit visit) const {
    for (const Held& held : held_)
      if (!held.state->has_ended() && *held.state->place == predefined().request_null) visit(held.at, *held.state);
  }

 private:
  struct Held {
    std::int64_t at;
    ExtendedState* state;
  };
  MPI_Request* of_program_ = nullptr;
  std::vector<MPI_Request> for_host_;  // empty for a single one
  std::vector<Held> held_;
};

}  // namespace marshal
