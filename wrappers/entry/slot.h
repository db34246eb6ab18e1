// The next function of an entry point, looked up once.
#pragma once

#include <atomic>

namespace marshal {

// A static object: constant initialisation, no destructor.
class Slot {
 public:
  // The names of the function, each with a zero behind it: Fortran compilers and MPI libraries spell it differently.
  // All spellings lead to the first one that stands behind Marshal, or else to a function that stands in for the
  // missing call (missing_calls.h).
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
  // Meets the host.
  void* resolve(const void* caller) noexcept;

  std::atomic<void*> next_{nullptr};
  const char* spellings_;
};

}  // namespace marshal
