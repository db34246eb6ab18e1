// Predicts the lives of types from earlier ones: programs make types in loops, and these all live alike. It learns
// whether types that the host packed for as long as reading takes were then packed far longer, or freed.
//
// Thread safe without locks: two threads at the same moment may lose one observation.
#pragma once

#include <atomic>

namespace marshal {

class TypeLives {
 public:
  // How long the host packs a new type before it is read, as a multiple of the time of reading. With patience, a type
  // that is freed right after its reading has lost a tenth. If earlier types lived long, types are read sooner.
  static constexpr int patient = 10, soon = 1;
  int patience() {
    const int left = soon_left_.load(std::memory_order_relaxed);
    if (left == 0) return patient;
    soon_left_.store(left - 1, std::memory_order_relaxed);
    return soon;
  }

  // Tells that the host packed a type that was waited for patiently, so many times as long as reading takes, and that
  // it was then freed, or read.
  void lived(double times) {
    if (times < went_on) return in_a_row_.store(0, std::memory_order_relaxed);
    const int in_a_row = in_a_row_.load(std::memory_order_relaxed) + 1;
    if (in_a_row < enough) return in_a_row_.store(in_a_row, std::memory_order_relaxed);
    soon_left_.store(trusted, std::memory_order_relaxed);  // then one type is waited for again
  }

 private:
  // From `went_on` on, to be read soon saves what reading costs. Four types in a row earn trust for sixteen; if their
  // like stops coming, these cost less than the four have saved or lost.
  static constexpr double went_on = 4;
  static constexpr int enough = 4, trusted = 16;

  std::atomic<int> in_a_row_{0}, soon_left_{0};
};

}  // namespace marshal
