#include "copies/extended_state.h"

#include <utility>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/registry.h"
#include "host/handles.h"
#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal {
namespace {

// It owns none of them.
Registry<ExtendedState>& table() {  // HANDLES: extended requests
  static Immortal<Registry<ExtendedState>> the;
  return *the;
}

thread_local constinit char this_thread_is [[gnu::tls_model("initial-exec")]] = 0;

}  // namespace

ExtendedState* ExtendedState::find(MPI_Request request) noexcept {
  return any_extended_requests ? table().find(key_of(request)) : nullptr;
}

ExtendedState::ExtendedState(std::unique_ptr<Completion> work)
    : place(&inner),
      inner(predefined().request_null),
      made(predefined().request_null),
      completion(std::move(work)),
      started_(predefined().request_null) {}

// One that is not entered, for lack of memory, is polled by the host alone.
void ExtendedState::made_by_host() noexcept {
  started_ = inner;
  std::unique_ptr<ExtendedState> entered(this);
  attempt([&] {
    table().insert_if_new(key_of(made), entered);
    is_entered_.store(true, std::memory_order_release);
  });
  static_cast<void>(entered.release());
}

bool ExtendedState::hold() noexcept {
  const void* nobody = nullptr;
  if (!holder_.compare_exchange_strong(nobody, &this_thread_is, std::memory_order_acquire)) return false;
  own();
  return true;
}

bool ExtendedState::is_held_here() const noexcept { return holder_.load(std::memory_order_relaxed) == &this_thread_is; }

void ExtendedState::release() noexcept {
  holder_.store(nullptr, std::memory_order_release);
  let_go();
}

void ExtendedState::let_go() noexcept {
  if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

int ExtendedState::end(int host_code) noexcept {
  code = completion->ended(status, host_code);
  inner = predefined().request_null;
  place = &inner;
  has_ended_.store(true, std::memory_order_release);
  complete();
  return code;
}

void ExtendedState::complete() noexcept {
  if (made != predefined().request_null && !std::exchange(is_complete_, true)) pmpi().Grequest_complete(made);
}

void ExtendedState::poll() {
  if (has_ended()) return;
  const HeldRequest held(this);
  if (!held && !is_held_here()) return;
  if (*place == predefined().request_null) {
    if (!has_ended()) complete();  // the call around this one has its status
    return;
  }
  cancel_if_asked();
  int flag = 0;
  const int host_code = pmpi().Test(place, &flag, &status);
  if (*place != predefined().request_null) return;
  if (end(host_code) != host_code && !is_left_.load(std::memory_order_relaxed)) completion->tell_handler(code);
}

void ExtendedState::cancel_if_asked() {
  if (is_to_be_cancelled_.exchange(false)) pmpi().Cancel(place);
}

void ExtendedState::begin_call() {
  is_in_call_.store(true);
  cancel_if_asked();
}

// A thread that only asks lets it go soon, and cancels it then. One in a call that completes it may wait for just this:
// as on the bare host, the program knows that it has not ended.
int ExtendedState::cancel() {
  const HeldRequest held(this);
  if (held) return pmpi().Cancel(place);
  is_to_be_cancelled_.store(true);
  if (!is_in_call_.load() || !is_to_be_cancelled_.exchange(false)) return MPI_SUCCESS;
  MPI_Request request = started_;
  return pmpi().Cancel(&request);
}

int ExtendedState::tell(MPI_Status& into) const noexcept {
  into = status;
  into.MPI_ERROR = MPI_SUCCESS;
  return code;
}

bool ExtendedState::leave() noexcept {
  if (is_entered_.exchange(false, std::memory_order_acq_rel))
    static_cast<void>(table().extract(key_of(made)).release());
  if (has_ended() || is_left_.exchange(true, std::memory_order_acq_rel)) return false;
  own();
  return true;
}

void ExtendedState::free_made() noexcept {
  if (is_freed_.load(std::memory_order_acquire)) return;
  MPI_Request request = made;
  pmpi().Request_free(&request);
}

HeldRequest::~HeldRequest() {
  if (!is_own_) return;
  if (!state_->has_ended() && *state_->place == predefined().request_null) state_->end(MPI_ERR_OTHER);
  if (!state_->has_ended()) state_->cancel_if_asked();
  state_->release();
}

}  // namespace marshal
