// Which calls are timed, of those that may take less than reading the clock does: one of each block of calls.
//
// Calls are alike if one place of the program makes them, to one function. Calls that move many elements are alike if
// they move about as many. Alike calls that follow each other come in blocks of 1, 2, 4, … 64 calls. One call of each
// block is timed, and stands for all of the block.
//
// The estimate is fair: its mean is the true time, whatever the calls take. The times taken before a block decide how
// long it is. The call that is timed is drawn: each one has the same chance, 1 in the block's length. So on average
// that call's time, times the length, is the time of the block. It also is where the program ends before the block
// does: each call that was made had its chance. A block of one call is exact. No call is chosen by its own time.
//
// The time that was seen pays for timing. A sample has a price: the time of 256 readings of the clock, or a hundred
// samples. A place gets credit after each sample: what the block took, or a quarter of the time since the thread's last
// sample if that is more. The more credit a place has, the shorter is its next block. So where calls take microseconds
// on average, each is timed; short ones cost one sample in 64 calls. A new place has credit for 64 blocks of one call.
// So few calls are exact.
//
// Source: Cochran, "Sampling Techniques", 3rd edition, chapter 5, "Stratified random sampling". The generator of the
// draws is that of Knuth's MMIX (The Art of Computer Programming, volume 2, 3.3.4, table 1, line 26).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"
#include "times/tick_clock.h"

namespace marshal {

// The samples of one thread, which alone uses them.
class Sampling {
 public:
  static constexpr std::uint32_t longest_block = 64;
  static constexpr std::uint32_t price = 256, most_credit = price << 14, first_credit = price * 96;
  // Calls of more elements are alike only if they have about as many: the same power of two.
  static constexpr std::int64_t few_elements = 4095;

  // Calls that are alike. The least that they cost is one look at `before`.
  struct Alike {
    std::uint32_t key = 0;
    std::int32_t before = 0;              // so many calls pass before the next one is timed
    std::uint32_t credit = first_credit;  // in readings of the clock
    std::uint8_t behind = 0;              // calls of the block behind the one that is timed
    std::uint8_t weight = 1;              // calls of the block

    // The next call passes. False, and nothing is done, if it is to be timed.
    MARSHAL_ALWAYS_INLINE bool pass() {
      if (--before >= 0) [[likely]]
        return true;
      before = 0;
      return false;
    }
  };

  // `call`: the number of the function. `elements`: how many it moves, where that is known.
  MARSHAL_ALWAYS_INLINE Alike& alike(const void* caller, std::uint32_t call, std::int64_t elements) {
    const std::uint32_t key =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(caller) >> idle_bits) ^ call * 0x9E3779B9U;
    Alike& likely = places_[0][number_of(key)];
    return likely.key == key && elements <= few_elements ? likely : find(key, elements);
  }

  // The next call was timed, and ended at `now`. Returns how many calls it stands for.
  std::uint32_t timed(Alike& calls, Ticks took, Ticks now, Ticks reading) noexcept;
  // The next call was to be timed, but the times are paused.
  void not_timed(Alike& calls) noexcept { begin_block(calls, longest_block); }
  // All places are new ones.
  void forget() noexcept { places_ = {}; }

 private:
#if defined(__x86_64__)
  static constexpr int idle_bits = 0;
#else
  static constexpr int idle_bits = 2;  // of an address in a program
#endif
  static std::size_t number_of(std::uint32_t key) { return key % 128; }
  Alike& find(std::uint32_t key, std::int64_t elements) noexcept;
  void begin_block(Alike& calls, std::uint32_t length) noexcept;

  std::array<std::array<Alike, 128>, 2>
      places_{};  // a place stands in the first row; the one that it pushed out, below
  std::uint64_t drawn_ = 0;
  Ticks last_ = 0;  // end of the last sample; 0: there was none
};

}  // namespace marshal
