// One entry point's next function, looked up once.
#pragma once

#include <atomic>

namespace marshal {

// A static object: constant initialisation, no destructor.
class Slot {
 public:
  constexpr explicit Slot(const char* symbol) : symbol_(symbol) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  bool is_found() const { return next_.load(std::memory_order_relaxed) != nullptr; }

  // `caller`: a code address in the program. Thread safe.
  void* next(const void* caller) {
    void* found = next_.load(std::memory_order_acquire);
    return found ? found : resolve(caller);
  }

 private:
  // Meets the host. Ends the process with one line if there is no next function, as the loader would.
  void* resolve(const void* caller);

  std::atomic<void*> next_{nullptr};
  const char* symbol_;
};

}  // namespace marshal
