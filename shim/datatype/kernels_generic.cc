// Kernels of the base instruction set: plain loops as the compiler vectorises them (SSE2 on x86-64, NEON on AArch64).
#include "datatype/kernel_templates.h"
#include "datatype/kernels.h"
#include "datatype/transpose_tiles.h"

namespace marshal::datatype {
namespace {

template <int size>
void transpose(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row, std::int64_t i_count,
               std::int64_t j_count) {
  constexpr int tile = 64 / size;
  const auto copy_tile = [](std::byte* t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) {
    for (int i = 0; i < tile; ++i)
      for (int j = 0; j < tile; ++j) __builtin_memcpy(t + i * t_row + j * size, f + j * f_row + i * size, size);
  };
  transpose_by<size, tile, NoStrips>(copy_tile, to, to_row, from, from_row, i_count, j_count);
}

constexpr Kernels make() {
  Kernels k = kernels_with<AnyLength, AnyLength, AnyLength>("generic");
  k.stream = k.copy;  // the language has no such stores
  k.transpose4 = &transpose<4>;
  k.transpose8 = &transpose<8>;
  k.transpose16 = &transpose<16>;
  return k;
}

}  // namespace

const Kernels generic_kernels = make();

const Kernels& best_kernels() {
  static const Kernels& best = [&]() -> const Kernels& {
    if (const Kernels* k = avx512_kernels()) return *k;
    if (const Kernels* k = avx2_kernels()) return *k;
    return generic_kernels;
  }();
  return best;
}

#if !defined(__x86_64__)
const Kernels* avx2_kernels() { return nullptr; }
const Kernels* avx512_kernels() { return nullptr; }
#endif

}  // namespace marshal::datatype
