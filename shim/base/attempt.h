// Runs work whose failure must not spread.
#pragma once

#include <cxxabi.h>
#include <pthread.h>

#include <utility>

namespace marshal {

// Runs `work`; false if it threw, for instance for lack of memory. If the thread is cancelled in it, the thread ends.
template <class Work>
bool attempt(Work&& work) {
  try {
    std::forward<Work>(work)();
    return true;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return false;
  }
}

// A thread is not cancelled while this exists.
class NoCancellation {
 public:
  NoCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// The same where nothing may leave, not even the end of the thread: at exit, in callbacks of the host, and in functions
// that are noexcept.
template <class Work>
bool attempt_to_the_end(Work&& work) noexcept {
  const NoCancellation no_cancellation;
  return attempt(std::forward<Work>(work));
}

}  // namespace marshal
