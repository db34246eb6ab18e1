// Requests for the program around requests of the host, with work that is done once the inner one has ended: extended
// generalized requests, which every MPICH has. Source: R. Latham, W. Gropp, R. Ross, R. Thakur, Extending the MPI-2
// Generalized Request Interface, EuroPVM/MPI 2007.
//
// The host itself polls them in each call that completes requests, except in MPI_Request_get_status. It frees them as
// its own. An error of an inner request comes from the function of the host that is the program's call, too: so the
// right error handler gets it (EndingCall).
#pragma once

#include <mpi.h>

#include <memory>

#include "base/relaxed.h"

namespace marshal {

// The work that is done once the inner request has ended.
class Completion {
 public:
  Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;
  virtual ~Completion() = default;
  // Who learns of an error.
  enum class Told : unsigned char {
    for_one,      // a call for one request, by its code
    for_several,  // by the request's status; the handler gets MPI_ERR_IN_STATUS
    nobody        // the program has freed the request
  };
  // Once, on any thread, inside a call of the host, and not where the inner request failed. The program gets `status`,
  // which is that of the inner request. Returns MPI_SUCCESS, or the code of an error that the program's handler has
  // had.
  virtual int ended(MPI_Status& status, Told told) noexcept = 0;
};

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
  [[gnu::always_inline]] static bool any() { return any_; }

  // All memory is taken here. Throws std::bad_alloc.
  explicit ExtendedRequest(std::unique_ptr<Completion> completion);
  ~ExtendedRequest();
  ExtendedRequest(const ExtendedRequest&) = delete;
  ExtendedRequest& operator=(const ExtendedRequest&) = delete;

  // Where the host's call puts its request.
  MPI_Request* inner();
  // Makes the program's request around the inner one. Returns the host's code, which its error handlers had. Where it
  // is none of success, the inner request is finished in later calls, and `made` is not touched. Once.
  int start(MPI_Request* made) noexcept;

  // Before MPI_Request_free of `request`: if it is one of these and has not ended, later calls finish it
  // (left_requests.h).
  static void leave(MPI_Request request) noexcept;
  // In the place of MPI_Cancel of `request`: true if it is one of these and has not ended; `code` is the host's for the
  // inner one then. (MPICH 4.0 takes no MPI_Cancel inside another one with MPI_THREAD_MULTIPLE.)
  static bool cancel(MPI_Request request, int& code) noexcept;
  // In MPI_Finalize: what is left then is the host's.
  static void end() noexcept;

  // Before MPI_Request_get_status of `request`, since older hosts do not poll there. True if that is the answer: the
  // request has failed, `status` is its own, and `code` has been through the host's handlers.
  static bool get_failed_status(MPI_Request request, MPI_Status& status, int& code) noexcept;

 private:
  friend class EndingCall;
  friend void finish_left_requests() noexcept;
  struct State;
  struct Live;
  static inline constinit Relaxed<bool> any_{false}, work_{false};
  State* state_;
};

// While it lives, this thread is in a call of the program that completes requests.
class EndingCall {
 public:
  enum class Of {
    one,     // MPI_Wait, MPI_Test
    any,     // MPI_Waitany, MPI_Testany
    several  // the others
  };
  explicit EndingCall(Of which) noexcept;
  ~EndingCall();
  EndingCall(const EndingCall&) = delete;
  EndingCall& operator=(const EndingCall&) = delete;

  // The rest is for the time behind the host's call, which returned `code`.

  // The code for the program, of a call that ended one request.
  int code_of_one(int code) const noexcept;
  // True if extended requests have failed that ended in this call.
  bool any_failed() const noexcept { return first_ != nullptr; }
  // True if some failed, and have not ended since the call ended none (MPI_Testall).
  bool any_kept() const noexcept { return kept_ > 0; }
  // True if `request` is such a one.
  bool is_kept(MPI_Request request) const noexcept;
  // Puts the right status in the place of `status`, if that is one of a request that failed.
  bool mend(MPI_Status& status) const noexcept;

 private:
  friend class ExtendedRequest;
  const Of which_;
  EndingCall* const outer_;
  ExtendedRequest::State* first_ = nullptr;  // those that failed and have ended
  int kept_ = 0;
};

}  // namespace marshal
