// A thread of Marshal's own that the program does not notice.
//
// It takes no signal, and has a table of descriptors of its own: the program counts on the lowest numbers being its
// own. Its stack is the one that the C library needs, and 256 KiB.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace marshal::watch {

// Its memory must stay for as long as the process.
class QuietThread {
 public:
  // False if no thread could be started. It calls run(argument). Once.
  bool start(const char* name, void (*run)(void*), void* argument);
  void ask_to_end();
  void join_within(int ms);

  // On the thread: waits for that long at most, by a clock that nobody sets.
  bool is_asked_to_end_within_a_second();

 private:
  static void* body(void* thread);

  void (*run_)(void*) = nullptr;
  void* argument_ = nullptr;
  pthread_t thread_{};
  bool is_joined_ = false;
  std::atomic<std::uint32_t> asked_to_end_{0};
};

}  // namespace marshal::watch
