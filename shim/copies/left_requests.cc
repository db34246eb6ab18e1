#include "copies/left_requests.h"

#include <mutex>
#include <utility>

#include "base/attempt.h"
#include "base/immortal.h"
#include "copies/extended_state.h"
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

}  // namespace marshal
