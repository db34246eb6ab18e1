// The requests of a call of the program that completes some, as the host's function gets them: in the place of each
// extended request (extended_requests.h) stands the one inside it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "copies/extended_state.h"
#include "host/predefined.h"

namespace marshal {

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
