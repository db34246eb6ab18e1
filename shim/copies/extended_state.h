// An extended request as the process has it (extended_requests.h).
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>

#include "base/relaxed.h"

namespace marshal {

// The work that is done once the request inside an extended one has ended.
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

// True once one was started.
inline constinit Relaxed<bool> any_extended_requests{false};

// Only a thread that holds it may touch what is not atomic. It does so inside itself, too: in a callback of the program
// that the host runs meanwhile.
class ExtendedState {
 public:
  // The one that the program has as `request`, or null. Lock free; valid until the program or the host frees it.
  static ExtendedState* find(MPI_Request request) noexcept;

  explicit ExtendedState(std::unique_ptr<Completion> work);
  ~ExtendedState() = default;  // by let_go()
  ExtendedState(const ExtendedState&) = delete;
  ExtendedState& operator=(const ExtendedState&) = delete;

  // Where the inner request stands, which the host makes null as it ends. Never in a frame: a handler of the program
  // may leave that by longjmp().
  MPI_Request* place;
  MPI_Request inner, made;
  std::unique_ptr<Completion> completion;
  MPI_Status status{};     // of the inner request, once it has ended
  int code = MPI_SUCCESS;  // for the program, once it has ended

  // For the thread that holds it, in a call of the program that completes it.
  void begin_call();
  void end_call() noexcept { is_in_call_.store(false); }
  // For the thread that holds it, before it lets it go.
  void cancel_if_asked();
  // For MPI_Cancel: also where another thread holds the request.
  int cancel();

  // Enters it under its handle.
  void made_by_host() noexcept;
  // True if this thread holds it from now on; false where a thread does already, as this one may.
  bool hold() noexcept;
  bool is_held_here() const noexcept;
  // By the thread that holds it. It may be gone then.
  void release() noexcept;

  bool has_ended() const noexcept { return has_ended_.load(std::memory_order_acquire); }
  // By the thread that holds it, as the host has made the inner request null and written its status. Returns the code
  // for the program.
  int end(int host_code) noexcept;

  // Asks the host whether the inner request has ended, unless another thread does so now. An error of it reaches the
  // program's handler, which may throw.
  void poll();

  // Fills the status of the program's request.
  int tell(MPI_Status& into) const noexcept;
  // The host has none any more.
  void note_freed() noexcept { is_freed_.store(true, std::memory_order_release); }

  // By the thread that holds it, once it has ended: the host frees the program's request.
  void free_made() noexcept;

  // It is no more the program's. True if it has not ended: then the caller owns it, too. Once.
  bool leave() noexcept;

  // Kept until all owners have let go: the host, the list of those that are left, and who holds it.
  void own() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  void let_go() noexcept;
  ExtendedState* next_left = nullptr;  // with the lock of that list

 private:
  void complete() noexcept;

  MPI_Request started_;  // the inner request, whatever becomes of it
  std::atomic<bool> is_to_be_cancelled_{false}, is_in_call_{false};
  std::atomic<const void*> holder_{nullptr};
  std::atomic<int> owners_{1};
  std::atomic<bool> has_ended_{false}, is_entered_{false}, is_left_{false}, is_freed_{false};
  bool is_complete_ = false;  // for the host
};

// While it lives, this thread holds it, if no other one does.
class HeldRequest {
 public:
  explicit HeldRequest(ExtendedState* state) noexcept : state_(state), is_own_(state != nullptr && state->hold()) {}
  // A message that has ended is unpacked also where the program's handler has thrown.
  ~HeldRequest();
  HeldRequest(const HeldRequest&) = delete;
  HeldRequest& operator=(const HeldRequest&) = delete;

  explicit operator bool() const noexcept { return is_own_; }

 private:
  ExtendedState* const state_;
  const bool is_own_;
};

}  // namespace marshal
