#include "copies/extended_requests.h"

#include <utility>

#include "copies/left_requests.h"
#include "host/host_family.h"
#include "host/next_symbol.h"

namespace marshal {
namespace {

// query, free, cancel, poll, wait, state, the request that is made
using StartExtended = int(int (*)(void*, MPI_Status*), int (*)(void*), int (*)(void*, int), int (*)(void*, MPI_Status*),
                          int (*)(int, void**, double, MPI_Status*), void*, MPI_Request*);

StartExtended* find_start_extended() {
  if (is_open_mpi()) return nullptr;
  void* const found = find_host_symbol("PMPIX_Grequest_start");
  return reinterpret_cast<StartExtended*>(found != nullptr ? found : find_host_symbol("MPIX_Grequest_start"));
}
StartExtended* start_extended() {
  static StartExtended* const found = find_start_extended();
  return found;
}

ExtendedState* of(void* state) { return static_cast<ExtendedState*>(state); }

void leave(ExtendedState& state) noexcept {
  if (state.leave()) add_left_request(state);
}
void free_for_host(ExtendedState& state) noexcept {
  state.note_freed();
  leave(state);
  state.let_go();
}

}  // namespace

bool ExtendedRequest::exist() { return start_extended() != nullptr; }

ExtendedRequest::ExtendedRequest(std::unique_ptr<Completion> completion)
    : state_(new ExtendedState(std::move(completion))) {}

ExtendedRequest::~ExtendedRequest() {
  if (state_ != nullptr) state_->let_go();
}

MPI_Request* ExtendedRequest::inner() { return &state_->inner; }

int ExtendedRequest::start(MPI_Request* made) {
  ExtendedState* const state = std::exchange(state_, nullptr);
  any_extended_requests = true;
  // Handlers of the program may run in poll(), and throw.
  const int code = start_extended()(
      [](void* state_of, MPI_Status* status) { return of(state_of)->tell(*status); },
      [](void* state_of) { return free_for_host(*of(state_of)), int{MPI_SUCCESS}; },
      [](void* state_of, int) {
        of(state_of)->cancel();
        return int{MPI_SUCCESS};
      },
      [](void* state_of, MPI_Status*) { return of(state_of)->poll(), int{MPI_SUCCESS}; },
      // The host calls it again until all have ended. It must not wait, as other threads may have to send.
      [](int count, void** states, double, MPI_Status*) {
        for (int i = 0; i < count; ++i) of(states[i])->poll();
        return int{MPI_SUCCESS};
      },
      state, &state->made);
  if (code == MPI_SUCCESS) {
    state->made_by_host();
    *made = state->made;
  } else {
    free_for_host(*state);
  }
  return code;
}

void ExtendedRequest::leave(MPI_Request request) noexcept {
  if (ExtendedState* const state = ExtendedState::find(request)) marshal::leave(*state);
}

void ExtendedRequest::end() noexcept { end_left_requests(); }

}  // namespace marshal
