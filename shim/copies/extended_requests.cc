#include "copies/extended_requests.h"

#include <mutex>
#include <utility>

#include "base/attempt.h"
#include "base/immortal.h"
#include "copies/extended_state.h"
#include "host/host_family.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"

namespace marshal {
namespace {

// A queue: those that have not ended go to its end.
struct LeftRequests {
  std::mutex mutex;
  ExtendedState *first = nullptr, *last = nullptr;
  std::mutex finishing;  // around the host's functions: only outside of the host

  void add(ExtendedState& state) {
    const std::lock_guard lock(mutex);
    state.next_left = nullptr;
    (first != nullptr ? last->next_left : first) = &state;
    last = &state;
    any_left_requests = true;
  }
  ExtendedState* take() {
    const std::lock_guard lock(mutex);
    ExtendedState* const state = first;
    if (state != nullptr) first = state->next_left;
    if (first == nullptr) any_left_requests = false;
    return state;
  }
  const ExtendedState* newest() {
    const std::lock_guard lock(mutex);
    return first != nullptr ? last : nullptr;
  }
};

LeftRequests& left_requests() {
  static Immortal<LeftRequests> the;
  return *the;
}

// The bare host tells no handler of an error of these. So no exception of a handler leaves Marshal.
void poll(ExtendedState& state) noexcept {
  try {
    state.poll();
  } catch (...) {
  }
}

constexpr int most_asked_in_vain = 16;

}  // namespace

void add_left_request(ExtendedState& state) noexcept { left_requests().add(state); }

void finish_left_requests() noexcept {
  LeftRequests& left = left_requests();
  // One thread at a time. It may wait for a lock of the host that another has in a handler of the program.
  const std::unique_lock one_at_a_time(left.finishing, std::try_to_lock);
  if (!one_at_a_time.owns_lock()) return;
  const NoCancellation whole;  // within a destructor
  const ExtendedState* const last = left.newest();
  for (int in_vain = 0; in_vain < most_asked_in_vain;) {
    ExtendedState* const state = left.take();
    if (state == nullptr) return;
    const bool was_last = state == last;
    poll(*state);
    if (state->has_ended()) {
      state->let_go();
    } else {
      ++in_vain;
      left.add(*state);
    }
    if (was_last) return;
  }
}

void end_left_requests() noexcept {
  if (!any_left_requests) return;
  finish_left_requests();
  // Their memory stays: the host may still read it.
  while (ExtendedState* const state = left_requests().take()) pmpi().Request_free(state->place);
}

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

bool InnerRequests::begin(MPI_Request* of_program, std::int64_t count) {
  of_program_ = of_program;
  for (std::int64_t i = 0; i < count; ++i) {
    const MPI_Request request = of_program[i];
    ExtendedState* const state = request != predefined().request_null ? ExtendedState::find(request) : nullptr;
    if (state == nullptr || state->has_ended()) continue;
    if (held_.empty()) {
      held_.reserve(static_cast<std::size_t>(count - i));
      if (count > 1) for_host_.assign(of_program, of_program + count);
    }
    if (!state->hold()) continue;
    if (state->has_ended()) {  // another thread has just ended it
      state->release();
      continue;
    }
    held_.push_back({i, state});
    state->begin_call();
    if (count == 1) break;
    MPI_Request& place = for_host_[static_cast<std::size_t>(i)];
    place = state->inner;
    state->place = &place;
  }
  return !held_.empty();
}

InnerRequests::~InnerRequests() {
  // A handler has thrown: the host's code is not known.
  for_each_ended([](std::int64_t, ExtendedState& state) { state.end(MPI_ERR_OTHER); });
  for (const Held& held : held_) {
    ExtendedState& state = *held.state;
    if (state.has_ended()) {
      of_program_[held.at] = predefined().request_null;
      state.free_made();
    } else {
      state.inner = *state.place;
      state.place = &state.inner;
    }
    state.end_call();
    if (!state.has_ended()) state.cancel_if_asked();
    state.release();
  }
  for (std::size_t i = 0; i < for_host_.size(); ++i)
    if (for_host_[i] == predefined().request_null) of_program_[i] = predefined().request_null;
}

}  // namespace marshal
