// One entry point's next function, looked up once.
#pragma once

#include <atomic>

namespace marshal {

// A static object: constant initialisation, no destructor.
class Slot {
 public:
  // Names of the function, apart by a blank: Fortran compilers and MPI libraries spell it differently.
  constexpr explicit Slot(const char* spellings) : spellings_(spellings) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  // Null before the first call.
  void* found() const { return next_.load(std::memory_order_acquire); }

  // `caller`: a code address in the program. Thread safe.
  void* next(const void* caller) {
    void* known = found();
    return known ? known : resolve(caller);
  }

 private:
  // Meets the host. Ends the process with one line if there is no next function, as the loader would.
  void* resolve(const void* caller);

  std::atomic<void*> next_{nullptr};
  const char* spellings_;
};

}  // namespace marshal
