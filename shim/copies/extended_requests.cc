#include "copies/extended_requests.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "base/immortal.h"
#include "copies/left_requests.h"
#include "host/host_family.h"
#include "host/implementation.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"

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

thread_local constinit EndingCall* ending_call [[gnu::tls_model("initial-exec")]] = nullptr;

// The source in the status of a request that failed, until EndingCall::mend(). Its tag is the number of the failure.
constexpr int mark_of_failed = -0x4d41;

}  // namespace

struct ExtendedRequest::State {
  std::unique_ptr<Completion> completion;
  MPI_Request inner, made;
  MPI_Status status{};     // of the inner request, once that has ended
  int code = MPI_SUCCESS;  // of the failure
  int number = 0;          // of the failure, of all in the process
  bool has_ended = false;  // the inner request
  bool is_to_be_cancelled = false;
  bool is_left = false;                      // the program has freed it before
  bool is_freed = false;                     // the host has no request for it any more; with the lock
  State *next = nullptr, *before = nullptr;  // alive, left, or of an EndingCall

  void poll() noexcept;
  int tell(MPI_Status& into) noexcept;
  void free() noexcept;
};

// Those that the program has, and those that it has freed.
struct ExtendedRequest::Live {
  std::mutex mutex;
  State *first = nullptr, *left = nullptr;
  std::mutex finishing;  // around the host's functions: only outside of the host

  static Live& of_process() {
    static Immortal<Live> the;
    return *the;
  }
  void add(State* state) {
    const std::lock_guard lock(mutex);
    state->next = first;
    if (first != nullptr) first->before = state;
    first = state;
  }
  // With the lock.
  void take_out(State* state) {
    (state->before != nullptr ? state->before->next : first) = state->next;
    if (state->next != nullptr) state->next->before = state->before;
    state->next = state->before = nullptr;
  }
  void remove(State* state) {
    const std::lock_guard lock(mutex);
    take_out(state);
  }
  State* find(MPI_Request request) {
    const std::lock_guard lock(mutex);
    State* state = first;
    while (state != nullptr && state->made != request) state = state->next;
    return state;
  }
  // With the lock.
  void leave(State* state) {
    state->is_left = true;
    state->next = left;
    left = state;
    any_left_requests = true;
  }
};

// The host calls these, with a State.
namespace {

// Tests the inner request as the program's call would. Returns MPI_SUCCESS or the code of the failure.
int test_inner(MPI_Request& inner, bool& has_ended, MPI_Status& status, const EndingCall::Of which) {
  int flag = 0, index = 0, code;
  switch (which) {
    case EndingCall::Of::one:
      code = pmpi().Test(&inner, &flag, &status);
      break;
    case EndingCall::Of::any:
      code = pmpi().Testany(1, &inner, &index, &flag, &status);
      break;
    default:
      code = pmpi().Testall(1, &inner, &flag, &status);
      if (code != MPI_SUCCESS) code = status.MPI_ERROR;
  }
  has_ended = code == MPI_SUCCESS ? flag != 0 : inner == predefined().request_null;
  return code;
}

}  // namespace

void ExtendedRequest::State::poll() noexcept {
  if (has_ended) return;
  // A handler of the program may run in the host's test, and complete other requests.
  EndingCall* const call = std::exchange(ending_call, nullptr);
  if (std::exchange(is_to_be_cancelled, false)) pmpi().Cancel(&inner);
  const EndingCall::Of which = call != nullptr ? call->which_ : EndingCall::Of::one;
  code = test_inner(inner, has_ended, status, which);
  if (has_ended && code == MPI_SUCCESS) {
    using Told = Completion::Told;
    const Told told = which == EndingCall::Of::several ? Told::for_several : Told::for_one;
    code = completion->ended(status, is_left ? Told::nobody : told);
  }
  ending_call = call;
  if (!has_ended) return;
  if (code != MPI_SUCCESS) {
    static std::atomic<int> failures{0};
    number = failures.fetch_add(1, std::memory_order_relaxed);
  }
  if (code != MPI_SUCCESS && call != nullptr && !is_left) ++call->kept_;
  completion.reset();
  if (made != predefined().request_null) pmpi().Grequest_complete(made);
}

// Returns what the host is to tell of the request.
int ExtendedRequest::State::tell(MPI_Status& into) noexcept {
  into = status;
  into.MPI_ERROR = MPI_SUCCESS;
  if (code == MPI_SUCCESS) return MPI_SUCCESS;
  if (ending_call == nullptr) return code;  // the call is not seen
  if (ending_call->which_ == EndingCall::Of::several) {
    into.MPI_SOURCE = mark_of_failed;
    into.MPI_TAG = number;
  }
  return MPI_SUCCESS;
}

void ExtendedRequest::State::free() noexcept {
  Live& live = Live::of_process();
  {
    const std::lock_guard lock(live.mutex);
    is_freed = true;
    if (is_left) return;  // finish_left_requests() deletes it, perhaps at once on another thread
    live.take_out(this);
    if (!has_ended) return live.leave(this);
  }
  if (code == MPI_SUCCESS || ending_call == nullptr) {
    delete this;
    return;
  }
  next = std::exchange(ending_call->first_, this);
  --ending_call->kept_;
}

bool ExtendedRequest::exist() { return start_extended() != nullptr; }

ExtendedRequest::ExtendedRequest(std::unique_ptr<Completion> completion)
    : state_(new State{std::move(completion), predefined().request_null, predefined().request_null}) {}

ExtendedRequest::~ExtendedRequest() { delete state_; }

MPI_Request* ExtendedRequest::inner() { return &state_->inner; }

int ExtendedRequest::start(MPI_Request* made) noexcept {
  State* const state = std::exchange(state_, nullptr);
  Live& live = Live::of_process();
  any_ = true;
  const int code = start_extended()(
      [](void* of, MPI_Status* status) { return static_cast<State*>(of)->tell(*status); },
      [](void* of) { return static_cast<State*>(of)->free(), int{MPI_SUCCESS}; },
      // Of a call that is not seen.
      [](void* of, int) {
        static_cast<State*>(of)->is_to_be_cancelled = true;
        return int{MPI_SUCCESS};
      },
      [](void* of, MPI_Status*) { return static_cast<State*>(of)->poll(), int{MPI_SUCCESS}; },
      // The host calls it again until all have ended. It must not wait, as other threads may have to send.
      [](int count, void** of, double, MPI_Status*) {
        for (int i = 0; i < count; ++i) static_cast<State*>(of[i])->poll();
        return int{MPI_SUCCESS};
      },
      state, &state->made);
  if (code == MPI_SUCCESS) {
    live.add(state);
    *made = state->made;
    return code;
  }
  const std::lock_guard lock(live.mutex);
  state->is_freed = true;
  live.leave(state);
  return code;
}

void ExtendedRequest::leave(MPI_Request request) noexcept {
  if (!any()) return;
  Live& live = Live::of_process();
  const std::lock_guard lock(live.mutex);
  State* state = live.first;
  while (state != nullptr && state->made != request) state = state->next;
  if (state == nullptr || state->has_ended) return;
  live.take_out(state);
  live.leave(state);
}

void finish_left_requests() noexcept {
  using State = ExtendedRequest::State;
  using Live = ExtendedRequest::Live;
  Live& live = Live::of_process();
  // One thread at a time. It may wait for a lock of the host that another has in a handler of the program.
  const std::unique_lock one_at_a_time(live.finishing, std::try_to_lock);
  if (!one_at_a_time.owns_lock()) return;
  State* list;
  {
    const std::lock_guard lock(live.mutex);
    list = std::exchange(live.left, nullptr);
    if (list == nullptr) any_left_requests = false;
  }
  while (list != nullptr) {
    State* const state = std::exchange(list, list->next);
    state->poll();
    std::unique_lock lock(live.mutex);
    if (!state->has_ended || !state->is_freed) {
      live.leave(state);
      continue;
    }
    lock.unlock();
    delete state;
  }
}

bool ExtendedRequest::cancel(MPI_Request request, int& code) noexcept {
  State* const state = any() ? Live::of_process().find(request) : nullptr;
  if (state == nullptr || state->has_ended) return false;
  code = pmpi().Cancel(&state->inner);
  return true;
}

void ExtendedRequest::end() noexcept {
  if (!any_left_requests) return;
  finish_left_requests();
  Live& live = Live::of_process();
  const std::lock_guard lock(live.mutex);
  // Their memory stays: the host may still read it.
  for (State* state = std::exchange(live.left, nullptr); state != nullptr; state = state->next)
    pmpi().Request_free(&state->inner);
  any_left_requests = false;
}

bool ExtendedRequest::get_failed_status(MPI_Request request, MPI_Status& status, int& code) noexcept {
  if (!any() || request == predefined().request_null) return false;
  State* const state = Live::of_process().find(request);
  if (state == nullptr) return false;
  if (!state->has_ended) {
    int flag = 0;
    code = pmpi().Request_get_status(state->inner, &flag, &status);
    if (code != MPI_SUCCESS) return true;
    if (flag != 0) state->poll();
    return false;
  }
  status = state->status;
  code = state->code;
  return code != MPI_SUCCESS;
}

EndingCall::EndingCall(Of which) noexcept : which_(which), outer_(std::exchange(ending_call, this)) {}

EndingCall::~EndingCall() {
  ending_call = outer_;
  while (first_ != nullptr) delete std::exchange(first_, first_->next);
}

int EndingCall::code_of_one(int code) const noexcept { return first_ != nullptr ? first_->code : code; }

bool EndingCall::is_kept(MPI_Request request) const noexcept {
  const ExtendedRequest::State* const state = ExtendedRequest::Live::of_process().find(request);
  return state != nullptr && state->has_ended && state->code != MPI_SUCCESS;
}

bool EndingCall::mend(MPI_Status& status) const noexcept {
  if (status.MPI_SOURCE != mark_of_failed) return false;
  for (const ExtendedRequest::State* state = first_; state != nullptr; state = state->next) {
    if (state->number != status.MPI_TAG) continue;
    status = state->status;
    status.MPI_ERROR = state->code;
    return true;
  }
  return false;
}

}  // namespace marshal
