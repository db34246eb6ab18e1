// The frames above a call are the same each time.
#include "callsites/call_frames.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <random>
#include <thread>
#include <vector>

using namespace marshal;

namespace {

// As an entry point of the wrappers: called by the program, and asking who that was.
[[gnu::noinline]] CallFrames entry() {
  CallFrames frames = frames_above(__builtin_return_address(0));
  asm volatile("" : : "m"(frames) : "memory");  // keeps this frame on the stack
  return frames;
}

[[gnu::noinline]] CallFrames library_call() {
  CallFrames frames = entry();
  asm volatile("" : : "m"(frames) : "memory");
  return frames;
}

template <int caller>
[[gnu::noinline]] CallFrames by() {
  CallFrames frames = library_call();
  asm volatile("" : : "m"(frames), "i"(caller) : "memory");
  return frames;
}

[[gnu::noinline]] CallFrames deeper(int levels) {
  CallFrames frames = levels == 0 ? entry() : deeper(levels - 1);
  asm volatile("" : : "m"(frames), "r"(levels) : "memory");
  return frames;
}

// Long stretches of either, and turns.
bool callers_are_told_apart() {
  const CallFrames one = by<1>(), two = by<2>();
  if (one.count != 4 || one.address[0] != two.address[0] || one.address[1] == two.address[1]) return false;
  std::mt19937 random{5};
  for (int i = 0; i < 20000; ++i) {
    const bool first = i < 5000 ? true : i < 10000 ? i % 2 == 0 : i < 15000 ? i % 100 < 50 : random() % 2 == 0;
    if ((first ? by<1>() : by<2>()).address[1] != (first ? one : two).address[1]) return false;
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_CASE(asking_again_gives_the_same_frames) {
  std::vector<CallFrames> seen;
  for (int i = 0; i < 100; ++i) seen.push_back(by<1>());
  for (const CallFrames& frames : seen) BOOST_TEST((frames == seen.front()));
  BOOST_TEST(seen.front().count == 4U);
}

BOOST_AUTO_TEST_CASE(different_callers_at_the_same_depth_are_told_apart) { BOOST_TEST(callers_are_told_apart()); }

BOOST_AUTO_TEST_CASE(recursion_of_any_depth) {
  for (int round = 0; round < 5; ++round)
    for (int levels = 0; levels < 50; ++levels) {
      const CallFrames frames = deeper(levels);
      // The frames of one function that called itself look alike.
      BOOST_TEST(frames.count == 4U);
      BOOST_TEST(frames.address[0] != nullptr);
    }
}

BOOST_AUTO_TEST_CASE(threads_walk_at_once) {
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) threads.emplace_back([&] { right += callers_are_told_apart() ? 1 : 0; });
  }
  BOOST_TEST(right == 3);
}
