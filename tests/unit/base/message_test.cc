#include "base/message.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <thread>

using namespace marshal;

namespace {

bool memory_is_full = false;

struct Outcome {
  std::string standard_error;
  int status;
};

// Runs `body` in a child whose stderr is a pipe (its reading end closed at once when `broken`).
Outcome in_child(bool broken, const std::function<void()>& body) {
  int ends[2];
  BOOST_REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    body();
    _exit(errno == 7 ? 0 : 1);
  }
  close(ends[1]);
  if (broken) close(ends[0]);
  Outcome outcome{{}, 0};
  char buffer[512];
  for (ssize_t n; !broken && (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    outcome.standard_error.append(buffer, static_cast<std::size_t>(n));
  if (!broken) close(ends[0]);
  waitpid(child, &outcome.status, 0);
  return outcome;
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = memory_is_full ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

BOOST_AUTO_TEST_CASE(lines_carry_the_prefix_and_obey_the_level) {
  const Outcome outcome = in_child(false, [] {
    errno = 7;
    set_message_level(1);
    say(Level::warning, "{} of {}", 1, 2);
    say(Level::info, "not said");
    set_message_level(2);
    say_line(Level::info, "two\nlines\n");
    say_text("bare");
  });
  BOOST_TEST(outcome.standard_error == "marshal: 1 of 2\nmarshal: two\nmarshal: lines\nbare");
  BOOST_TEST(outcome.status == 0);
}

BOOST_AUTO_TEST_CASE(what_is_said_is_harmless_to_a_terminal_and_short) {
  const Outcome outcome = in_child(false, [] {
    say_line(Level::error, "a\x1b[31m\u009b\tb\n" + std::string(1 << 24, 'x'));
    say_text("a\x1b\nb\n");
  });
  const std::string lines = "marshal: a\\x1b[31m\\x9b\\x09b\nmarshal: " + std::string(2045, 'x') + "...\na\\x1b\nb\n";
  BOOST_TEST(outcome.standard_error == lines);
}

BOOST_AUTO_TEST_CASE(a_broken_pipe_neither_kills_nor_changes_errno) {
  const Outcome outcome = in_child(true, [] {
    usleep(100000);  // until the parent has closed its end
    errno = 7;
    say_line(Level::error, "lost");
    sigset_t pending;
    sigpending(&pending);
    if (sigismember(&pending, SIGPIPE)) _exit(3);
  });
  BOOST_TEST(outcome.status == 0);
}

BOOST_AUTO_TEST_CASE(a_closed_stderr_loses_the_line_only) {
  const Outcome outcome = in_child(false, [] {
    close(STDERR_FILENO);
    errno = 7;
    say_line(Level::error, "lost");
  });
  BOOST_TEST(outcome.standard_error == "");
  BOOST_TEST(outcome.status == 0);
}

BOOST_AUTO_TEST_CASE(without_memory_the_line_is_lost_and_nothing_else) {
  const Outcome outcome = in_child(false, [] {
    errno = 7;
    set_message_level(1);
    const std::string long_word(4000, 'x');
    memory_is_full = true;
    say_line(Level::warning, long_word);
    say(Level::warning, "{}", long_word);
    memory_is_full = false;
    say_line(Level::warning, "there is some again");
  });
  BOOST_TEST(outcome.standard_error == "marshal: there is some again\n");
  BOOST_TEST(outcome.status == 0);
}

BOOST_AUTO_TEST_CASE(a_thread_that_is_being_cancelled_writes_its_line_and_ends_later) {
  const Outcome outcome = in_child(false, [] {
    std::thread thread([] {
      pthread_cancel(pthread_self());
      say_line(Level::warning, "whole");
      pthread_testcancel();
      say_line(Level::warning, "not said");
    });
    thread.join();
    errno = 7;
  });
  BOOST_TEST(outcome.standard_error == "marshal: whole\n");
  BOOST_TEST(outcome.status == 0);
}
