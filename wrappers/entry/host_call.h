// One intercepted call, as an action sees it: the call, its caller, and the host's own function with the program's
// arguments.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "base/attempt.h"
#include "wrappers/entry/calls.h"
#include "wrappers/entry/thread_state.h"

namespace marshal {

// The outcome of a quick action.
enum class Quickly : unsigned char {
  unanswered,         // nothing
  answered,           // all of it, with success
  passed_on,          // counted; the host is to do it, and calls nothing of the program's but error handlers
  passed_on_inside,   // the same, but it may run callbacks of the program, whose calls are not seen
  passed_on_and_told  // the host is to do it; the quick action then learns how that ended
};

// An action has two kinds of steps. The host's calls, host() and instead(), run callbacks of the program, whose C++
// exceptions must reach the program: no frame of Marshal's catches them. All the rest is Marshal's own work. Its
// exceptions (out of memory, on this process alone) must never reach the program, so it belongs into own().
class HostCall {
 public:
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;

  // Runs the host's function with the program's own arguments, untouched, and brings the results into the action's
  // view. Once: when the call is answered already, here or by instead(), it returns the same code again. Returns MPI's
  // error code; errors have been through the host's handlers.
  int operator()() {
    if (answered_ == By::nobody) {
      code_ = run();
      answered_ = By::host;
    }
    return code_;
  }

  // Runs `function`, which calls other functions of the host in place of the program's call. Its code is the answer,
  // and the program's own call is not made any more: other processes may be in the middle of the same replacement. So
  // everything that may fail on this process alone, above all memory, must be at hand before.
  template <class Function>
  int instead(Function&& function) {
    answered_ = By::marshal;
    return code_ = std::forward<Function>(function)();
  }

  // Inside `function` of instead(): the host is to make the program's call after all. Its code is the answer.
  int after_all() {
    answered_ = By::host;
    return run();
  }

  // The host's function with the program's arguments, except for two of them: `comm` is the first one, and `value` is
  // number `which`, counted from 0, an integer or a logical. For instead().
  virtual int run_with(MPI_Comm comm, std::size_t which, int value) = 0;
  // The same, except for some of the arguments, which are words as the program's language passes them.
  struct OtherWord {
    std::size_t which;
    std::uintptr_t word;
  };
  virtual int run_with(std::initializer_list<OtherWord> others) = 0;

  // Runs Marshal's own `work`; false if it threw.
  template <class Work>
  static bool own(Work&& work) {
    return attempt(std::forward<Work>(work));
  }

  bool done() const { return answered_ == By::host; }  // by the host, with the program's own arguments

  const Call call;
  const Binding binding;
  const void* const caller;  // its place in the program (callsites/python_place.h)

 protected:
  HostCall(Call which, Binding from, const void* where) : call(which), binding(from), caller(where) {}
  ~HostCall() = default;
  virtual int run() = 0;

 private:
  enum class By : unsigned char { nobody, host, marshal };
  By answered_ = By::nobody;
  int code_ = MPI_ERR_OTHER;  // if instead() ends without a code
};

}  // namespace marshal
