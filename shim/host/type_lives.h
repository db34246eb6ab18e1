// What the lives of earlier types tell of the next ones: programs make types in loops, which all live alike. Whether
// types that the host packed for as long as it takes to read one were then packed far longer, or freed.
//
// Thread safe without locks: two threads in the same moment may lose a life.
#pragma once

#include <atomic>

namespace marshal {

class TypeLives {
 public:
  // Of a new type: so many times as long as reading takes is the host to pack it before it is read. Patient, a type
  // that is freed right after has lost a tenth; where types have gone on for long, sooner.
  static constexpr int patient = 10, soon = 1;
  int patience() {
    const int left = soon_left_.load(std::memory_order_relaxed);
    if (left == 0) return patient;
    soon_left_.store(left - 1, std::memory_order_relaxed);
    return soon;
  }

  // The host packed a type that was waited for patiently so many times as long as reading takes, once at least: then it
  // was freed, or read.
  void lived(double times) {
    if (times < went_on) return in_a_row_.store(0, std::memory_order_relaxed);
    const int in_a_row = in_a_row_.load(std::memory_order_relaxed) + 1;
    if (in_a_row < enough) return in_a_row_.store(in_a_row, std::memory_order_relaxed);
    soon_left_.store(trusted, std::memory_order_relaxed);  // after these, one is waited for again
  }

 private:
  // From `went_on` on, to be read soon saves what reading costs. Four types in a row earn trust for sixteen; if their
  // like stops coming, these cost less than the four have saved or lost.
  static constexpr double went_on = 4;
  static constexpr int enough = 4, trusted = 16;

  std::atomic<int> in_a_row_{0}, soon_left_{0};
};

}  // namespace marshal
