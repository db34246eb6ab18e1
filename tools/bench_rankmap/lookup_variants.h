// Loops of lookups to be timed beside each other.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tools/timing.h"

namespace marshal::tools {

inline constexpr std::size_t ranks_in_loop = 4096;  // looked up in a loop
using Ranks = std::vector<std::int32_t>;

// Random ranks of a communicator of that size, always the same.
inline Ranks random_ranks(std::int32_t size) {
  std::mt19937 random{42};
  Ranks ranks(ranks_in_loop);
  for (std::int32_t& rank : ranks) rank = static_cast<std::int32_t>(random() % static_cast<unsigned>(size));
  return ranks;
}

// Lookups whose ranks are known beforehand, and lookups whose rank is the result of the one before. `size` is a power
// of two.
template <class Lookup>
void add_independent(std::vector<Variant>& variants, std::string name, const Ranks& ranks, Lookup lookup) {
  variants.push_back({std::move(name),
                      [&ranks, lookup] {
                        for (int pass = 0; pass < 16; ++pass) {
                          std::int32_t sum = 0;
                          for (const std::int32_t rank : ranks) sum += lookup(rank);
                          keep(sum);
                        }
                      },
                      16.0 * ranks_in_loop});
}
template <class Lookup>
void add_dependent(std::vector<Variant>& variants, std::string name, std::int32_t size, Lookup lookup) {
  variants.push_back({std::move(name),
                      [size, lookup] {
                        std::int32_t rank = 1;
                        for (std::size_t i = 0; i < 16 * ranks_in_loop; ++i) {
                          rank = (lookup(rank) + static_cast<std::int32_t>(i)) & (size - 1);
                        }
                        keep(rank);
                      },
                      16.0 * ranks_in_loop});
}

// Work that is done `repeats` times in a row, each of them so many operations.
template <class Work>
Variant in_a_row(std::string name, int repeats, Work work, double operations = 1) {
  return {std::move(name),
          [repeats, work] {
            for (int i = 0; i < repeats; ++i) work();
          },
          repeats * operations};
}

inline double million_a_second(double nanoseconds) { return 1e3 / nanoseconds; }

}  // namespace marshal::tools
