#include "base/message.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>

#include "base/attempt.h"
#include "base/printable_text.h"

namespace marshal {
namespace {

constexpr std::size_t most_line_bytes = 2048;

std::atomic<int> verbose_level{static_cast<int>(Level::warning)};

// Read when the library is loaded, before the program can open a file.
bool had_stderr = fcntl(STDERR_FILENO, F_GETFD) != -1;

// Keeps SIGPIPE from the program: blocks it while in scope, and removes it if this thread caused it.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    if (!was_pending_) {
      constexpr timespec at_once{0, 0};
      while (sigtimedwait(&pipe_, nullptr, &at_once) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

void write_all(std::string_view text) {
  if (!had_stderr) return;
  const int kept_errno = errno;
  {
    const NoCancellation no_cancellation;
    const NoBrokenPipe no_broken_pipe;
    int waits = 0;
    while (!text.empty()) {
      const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
      if (written > 0) {
        text.remove_prefix(static_cast<std::size_t>(written));
      } else if (written < 0 && errno == EAGAIN && ++waits <= 10) {
        pollfd ready{STDERR_FILENO, POLLOUT, 0};  // a non-blocking terminal or pipe: a second at most
        poll(&ready, 1, 100);
      } else if (!(written < 0 && errno == EINTR)) {
        break;
      }
    }
  }
  errno = kept_errno;
}

}  // namespace

void set_message_level(int verbose) { verbose_level.store(verbose, std::memory_order_relaxed); }

void set_had_stderr(bool had) { had_stderr = had; }

bool says(Level level) { return static_cast<int>(level) <= verbose_level.load(std::memory_order_relaxed); }

void say_line(Level level, std::string_view text) noexcept {
  if (!says(level)) return;
  attempt([&] {
    std::string lines;
    while (true) {
      const auto end = text.find('\n');
      lines.append("marshal: ").append(printable(text.substr(0, end), most_line_bytes)).push_back('\n');
      if (end == std::string_view::npos || end + 1 == text.size()) break;
      text.remove_prefix(end + 1);
    }
    write_all(lines);
  });
}

void detail::say_formatted(Level level, fmt::string_view format, fmt::format_args arguments) noexcept {
  attempt([&] { say_line(level, fmt::vformat(format, arguments)); });
}

void say_text(std::string_view text) noexcept {
  attempt([&] { write_all(printable_lines(text)); });
}

}  // namespace marshal
