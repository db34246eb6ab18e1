#include "copies/inner_requests.h"

namespace marshal {

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
