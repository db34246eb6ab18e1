#include "watch/quiet_thread.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <ctime>

namespace marshal::watch {
namespace {

// The least stack that threads of this process need: static thread-local data lies on it, which may be large.
std::size_t least_stack(const pthread_attr_t& attributes) {
  const auto of_library =
      reinterpret_cast<std::size_t (*)(const pthread_attr_t*)>(dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
  return of_library != nullptr ? of_library(&attributes) : static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN));
}

}  // namespace

void* QuietThread::body(void* thread) {
  constexpr unsigned unshare = 2, close_range = 436;  // on all systems
  if (syscall(close_range, 3U, ~0U, unshare) == 0) {
    close(0);  // who reads the program's output waits for the last of those who could write
    close(1);
  }
  const QuietThread& self = *static_cast<const QuietThread*>(thread);
  self.run_(self.argument_);
  return nullptr;
}

bool QuietThread::start(const char* name, void (*run)(void*), void* argument) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  constexpr std::size_t own_stack = std::size_t{256} << 10;
  pthread_attr_setstacksize(&attributes, least_stack(attributes) + own_stack);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  run_ = run, argument_ = argument;
  const bool is_started = pthread_create(&thread_, &attributes, body, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (is_started) pthread_setname_np(thread_, name);
  pthread_attr_destroy(&attributes);
  return is_started;
}

void QuietThread::ask_to_end() {
  asked_to_end_.store(1, std::memory_order_release);
  syscall(SYS_futex, &asked_to_end_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

bool QuietThread::is_asked_to_end_within_a_second() {
  const timespec second{1, 0};
  syscall(SYS_futex, &asked_to_end_, FUTEX_WAIT_PRIVATE, 0, &second, nullptr, 0);
  return asked_to_end_.load(std::memory_order_acquire) != 0;
}

void QuietThread::join_within(int ms) {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  const long ns = until.tv_nsec + ms % 1000 * 1'000'000L;
  until = {until.tv_sec + ms / 1000 + ns / 1'000'000'000, ns % 1'000'000'000};
  is_joined_ = is_joined_ || pthread_timedjoin_np(thread_, nullptr, &until) == 0;
}

}  // namespace marshal::watch
