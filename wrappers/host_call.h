// One intercepted call, as an action sees it: who called what, and the host's own function, bound to the program's
// arguments.
#pragma once

#include "wrappers/calls.h"
#include "wrappers/thread_state.h"

namespace marshal {

// What a quick action did with a call.
enum class Quickly : unsigned char {
  unanswered,  // nothing
  answered,    // all of it, with success
  passed_on,   // it is on the books, and the host is to do it
};

class HostCall {
 public:
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;

  // Runs the host's function with the program's own arguments, untouched, and brings the results into the action's
  // view. Once: asked again it returns the same code. Returns MPI's error code; errors have been through the host's
  // handlers.
  int operator()() {
    if (!done_) {
      code_ = run();
      done_ = true;
    }
    return code_;
  }
  bool done() const { return done_; }

  const Call call;
  const Binding binding;
  const void* const caller;  // return address in the program

 protected:
  HostCall(Call which, Binding from, const void* where) : call(which), binding(from), caller(where) {}
  ~HostCall() = default;
  virtual int run() = 0;

 private:
  bool done_ = false;
  int code_ = 0;
};

}  // namespace marshal
