// Tables by handles, addresses and other keys: where in a table a key belongs, and a table of fixed size.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"

namespace marshal {

// Multiplicative hashing. The factor was found by trial: 2^bits keys at equal distances, as addresses have them, reach
// at least a third of 2^bits places, three quarters in the mean. By the golden ratio some reach a tenth.
MARSHAL_ALWAYS_INLINE constexpr std::size_t spread(std::uint64_t key, int bits) {
  return static_cast<std::size_t>((key * 0xC49872C67C081BB7ULL) >> (64 - bits));
}

// The same for who counts keys: those at equal distances reach as many places as random ones. One multiplication more.
MARSHAL_ALWAYS_INLINE constexpr std::size_t spread_at_random(std::uint64_t key, int bits) {
  const std::uint64_t mixed = key * 0xFF51AFD7ED558CCDULL;
  return spread(mixed ^ mixed >> 32, bits);
}

// It takes no memory and no lock of its own; its entries say who may write them, and when one is free. A table that
// forgets has one entry for a key, its home: a newer key pushes out an older one. A table that does not searches on.
template <class Entry, std::size_t entries>
struct FixedTable : std::array<Entry, entries> {
  static_assert(std::has_single_bit(entries));

  static constexpr std::size_t home_of(std::uint64_t key) { return spread(key, std::countr_zero(entries)); }
  MARSHAL_ALWAYS_INLINE Entry& home(std::uint64_t key) { return (*this)[home_of(key)]; }
  MARSHAL_ALWAYS_INLINE const Entry& home(std::uint64_t key) const { return (*this)[home_of(key)]; }

  // The first entry from the key's home on, round the end, that is the key's or free. So some must stay free.
  template <class Suits>
  MARSHAL_ALWAYS_INLINE Entry& search(std::uint64_t key, Suits suits) {
    std::size_t i = home_of(key);
    while (!suits((*this)[i])) i = (i + 1) % entries;
    return (*this)[i];
  }
};

}  // namespace marshal
