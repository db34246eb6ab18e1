#include "datatype/kernels.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "guarded_bytes.h"
#include "tests/unit/messages_of_tests.h"

using namespace marshal::datatype;
using namespace marshal::datatype::testing;

namespace {

// The kernels of this processor beside the generic ones.
std::vector<const Kernels*> vector_kernels() {
  std::vector<const Kernels*> all;
  for (const Kernels* k : {avx2_kernels(), avx512_kernels()})
    if (k != nullptr) all.push_back(k);
  return all;
}

std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> all;
  for (std::int64_t n = 1; n <= 200; ++n) all.push_back(n);
  all.insert(all.end(), {255, 256, 257, 511, 512, 1023, 1024, 1025, 1500, 4096, 4100});
  return all;
}

// Runs both kernels from the same bytes into memory between guard pages, and looks at every byte of the destination.
template <class Run>
void compare(std::int64_t from_bytes, std::int64_t to_bytes, std::uint64_t seed, const char* what, Run run) {
  const Against against = seed % 2 ? Against::low_guard : Against::high_guard;
  GuardedBytes from(static_cast<std::size_t>(from_bytes), against), to(static_cast<std::size_t>(to_bytes), against);
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < from.size(); ++i) from.data()[i] = static_cast<std::byte>(random());
  std::fill_n(to.data(), to.size(), std::byte{0x5a});
  run(generic_kernels, to.data(), from.data());
  const std::vector<std::byte> expected(to.data(), to.data() + to.size());
  for (const Kernels* kernels : vector_kernels()) {
    std::fill_n(to.data(), to.size(), std::byte{0x5a});
    run(*kernels, to.data(), from.data());
    BOOST_TEST_REQUIRE(std::equal(expected.begin(), expected.end(), to.data()),
                       kernels->name << " " << what << " seed " << seed);
  }
}

Transpose transpose_of(const Kernels& k, std::size_t size) {
  return size == 4 ? k.transpose4 : size == 8 ? k.transpose8 : k.transpose16;
}

// The destination has i rows of j elements, the source j rows of i.
void compare_transpose(std::int64_t size, std::int64_t i, std::int64_t to_row, std::int64_t j, std::int64_t from_row,
                       std::uint64_t seed) {
  compare((j - 1) * from_row + i * size, (i - 1) * to_row + j * size, seed, "transpose",
          [&](const Kernels& k, std::byte* t, const std::byte* f) {
            transpose_of(k, static_cast<std::size_t>(size))(t, to_row, f, from_row, i, j);
          });
}

// Places of `count` blocks of these lengths with random gaps.
std::vector<std::int32_t> places(const std::vector<std::int32_t>& block_lengths, std::mt19937_64& random,
                                 std::int64_t& end) {
  std::vector<std::int32_t> all;
  end = 0;
  for (const std::int32_t length : block_lengths) {
    all.push_back(static_cast<std::int32_t>(end));
    end = all.back() + length;
    if (all.size() < block_lengths.size()) end += static_cast<std::int64_t>(random() % 40);
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(kernels)

BOOST_AUTO_TEST_CASE(the_generic_copies_copy) {
  std::vector<std::byte> from(5000), to(5000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(37 * i + 1);
  generic_kernels.copy(to.data(), from.data(), 5000);
  BOOST_TEST((to == from));
  const Rows inner{4, 10, 30}, outer{3, 40, 500};
  generic_kernels.loops(10).rows(to.data(), from.data(), inner, outer, 10);
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t i = 0; i < 4; ++i) BOOST_TEST(std::memcmp(&to[40 * j + 10 * i], &from[500 * j + 30 * i], 10) == 0);
}

BOOST_AUTO_TEST_CASE(the_generic_transposes_transpose) {
  constexpr std::size_t n = 21, m = 35;
  for (const std::size_t size : {4, 8, 16})
    for (const std::size_t to_row : {m * size, std::size_t{2048}, std::size_t{4104}})
      for (const std::size_t from_row : {n * size + 3, std::size_t{4096}}) {
        std::vector<std::byte> from((m - 1) * from_row + n * size), to((n - 1) * to_row + m * size);
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 2654435761U >> 13);
        transpose_of(generic_kernels, size)(to.data(), to_row, from.data(), from_row, n, m);
        bool same = true;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < m; ++j)
            same = same && std::memcmp(&to[i * to_row + j * size], &from[j * from_row + i * size], size) == 0;
        BOOST_TEST(same, "size " << size << " rows " << to_row << " " << from_row);
      }
}

BOOST_AUTO_TEST_CASE(copies_and_streams_of_every_length_and_alignment) {
  std::uint64_t seed = 0;
  for (const std::int64_t length : lengths())
    for (const std::int64_t shift : {0, 1, 13, 32, 63}) {
      compare(length + 5, length + shift, ++seed, "copy",
              [&](const Kernels& k, std::byte* to, const std::byte* from) { k.copy(to + shift, from + 5, length); });
      compare(length + 5, length + shift, ++seed, "stream",
              [&](const Kernels& k, std::byte* to, const std::byte* from) { k.stream(to + shift, from + 5, length); });
    }
}

BOOST_AUTO_TEST_CASE(rows_of_every_length) {
  std::uint64_t seed = 0;
  for (const std::int64_t length : lengths())
    for (const std::int64_t count : {1, 3, 4, 9}) {
      const Rows inner{count, length, length + 7}, outer{count % 3 + 1, count * length, count * (length + 7) + 3};
      const std::int64_t from = (outer.count - 1) * outer.from + (count - 1) * inner.from + length;
      const std::int64_t to = outer.count * count * length;
      compare(from, to, ++seed, "rows, together", [&](const Kernels& k, std::byte* t, const std::byte* f) {
        k.loops(length).rows(t, f, inner, outer, length);
      });
      compare(from, to, ++seed, "far rows, together", [&](const Kernels& k, std::byte* t, const std::byte* f) {
        k.loops(length).far_rows(t, f, inner, outer, length);
      });
      const Rows inner_apart{count, inner.from, inner.to}, outer_apart{outer.count, outer.from, outer.to};
      compare(to, from, ++seed, "rows, apart", [&](const Kernels& k, std::byte* t, const std::byte* f) {
        k.loops(length).rows(t, f, inner_apart, outer_apart, length);
      });
      compare(to, from, ++seed, "crowded rows, apart", [&](const Kernels& k, std::byte* t, const std::byte* f) {
        k.loops(length).crowded_rows(t, f, inner_apart, outer_apart, length);
      });
    }
}

BOOST_AUTO_TEST_CASE(lists_and_bins_of_every_length) {
  std::uint64_t seed = 0;
  for (const std::int64_t length : lengths())
    for (const std::size_t count : {1U, 4U, 11U}) {
      std::mt19937_64 random(++seed);
      std::int64_t end = 0;
      const auto n = static_cast<std::int64_t>(count);
      const std::vector<std::int32_t> user =
          places(std::vector<std::int32_t>(count, static_cast<std::int32_t>(length)), random, end);
      std::vector<std::int32_t> packed;
      for (std::int64_t i = 0; i < n; ++i) packed.push_back(static_cast<std::int32_t>((n - 1 - i) * length));
      compare(end, n * length, seed, "gather", [&](const Kernels& k, std::byte* t, const std::byte* f) {
        k.loops(length).gather(t, f, user.data(), n, length);
      });
      compare(n * length, end, seed, "scatter", [&](const Kernels& k, std::byte* t, const std::byte* f) {
        k.loops(length).scatter(t, f, user.data(), n, length);
      });
      compare(end, n * length, seed, "pairs", [&](const Kernels& k, std::byte* t, const std::byte* f) {
        k.loops(length).pairs(t, f, packed.data(), user.data(), n, length);
      });
    }
}

BOOST_AUTO_TEST_CASE(lists_of_mixed_lengths) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::int32_t> block_lengths;
    std::int64_t total = 0, end = 0;
    for (std::uint64_t i = 0; i <= random() % 20; ++i) {
      block_lengths.push_back(static_cast<std::int32_t>(random() % (seed % 5 ? 70 : 2000)) + 1);
      total += block_lengths.back();
    }
    const std::vector<std::int32_t> user = places(block_lengths, random, end);
    const Ragged blocks{user.data(), block_lengths.data(), static_cast<std::int64_t>(user.size())};
    compare(end, total, seed, "gather mixed",
            [&](const Kernels& k, std::byte* t, const std::byte* f) { k.gather_ragged(t, f, blocks); });
    compare(total, end, seed, "scatter mixed",
            [&](const Kernels& k, std::byte* t, const std::byte* f) { k.scatter_ragged(t, f, blocks); });
  }
}

BOOST_AUTO_TEST_CASE(transposes_of_every_shape) {
  std::uint64_t seed = 0;
  for (const std::int64_t size : {4, 8, 16})
    for (std::int64_t i = 1; i <= 40; i += i < 10 ? 1 : 7)
      for (std::int64_t j = 1; j <= 40; j += j < 10 ? 1 : 7) {
        const std::int64_t to_row = j * size, from_row = i * size + 12;
        compare_transpose(size, i, to_row, j, from_row, ++seed);
      }
}

// Rows that fall into few sets of a cache are done in another order.
BOOST_AUTO_TEST_CASE(transposes_of_rows_at_every_distance) {
  std::uint64_t seed = 0;
  for (const std::int64_t size : {4, 8, 16})
    for (const std::int64_t to_row : {700, 2048, 2056, 4090, 8192})
      for (const std::int64_t from_row : {700, 2048, 4096})
        for (const std::int64_t count : {4, 31, 41}) {
          const std::int64_t i = count, j = 44 - count / 2;
          compare_transpose(size, i, to_row, j, from_row, ++seed);
        }
}

// So many rows, so far apart, are more lines than the sets of a first-level cache hold.
BOOST_AUTO_TEST_CASE(transposes_of_many_rows_far_apart) {
  std::uint64_t seed = 0;
  for (const std::int64_t size : {4, 8, 16})
    for (const std::int64_t to_row : {2048, 4096, 6144})
      for (const std::int64_t i : {63, 64, 67, 130})
        for (std::int64_t j = 1; j <= 33; ++j) compare_transpose(size, i, to_row, j, i * size + 12, ++seed);
}

BOOST_AUTO_TEST_CASE(fields_of_every_number_and_length) {
  std::uint64_t seed = 0;
  for (std::size_t count = 2; count <= 4; ++count)
    for (const std::int64_t length : {1, 2, 4, 8, 12, 16, 24, 32})
      for (const std::int64_t rows : {1, 5, 16}) {
        FieldPlaces at{};
        std::int64_t end = 0;
        for (std::size_t k = 0; k < count; ++k, end += length + 3) at.user[k] = end;
        const std::int64_t packed = static_cast<std::int64_t>(count) * length;
        compare(rows * end, rows * packed, ++seed, "gather fields",
                [&](const Kernels& k, std::byte* t, const std::byte* f) {
                  k.fields(count, length).gather(t, f, at, {rows, packed, end});
                });
        compare(rows * packed, rows * end, ++seed, "scatter fields",
                [&](const Kernels& k, std::byte* t, const std::byte* f) {
                  k.fields(count, length).scatter(t, f, at, {rows, end, packed});
                });
      }
}

BOOST_AUTO_TEST_SUITE_END()
