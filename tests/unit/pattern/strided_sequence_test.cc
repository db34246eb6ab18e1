#include "pattern/strided_sequence.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

#include "pattern/compose.h"
#include "pattern/detect.h"
#include "pattern/evaluate.h"
#include "tests/unit/property_seed.h"

using namespace marshal;

namespace {

using Values = std::vector<std::int32_t>;

template <class Sequence>
auto values_of(const Sequence& sequence) {
  std::vector<decltype(sequence.offset())> values;
  for (std::int32_t r = 0; r < sequence.size(); ++r) values.push_back(sequence(r));
  return values;
}

// The definition, digit by digit.
Values by_digits(std::int32_t offset, const std::vector<StridedBlocks::Digit>& digits, std::int32_t size) {
  Values values;
  for (std::int32_t r = 0; r < size; ++r) {
    std::int32_t rest = r;
    std::int32_t value = offset;
    for (std::size_t k = 0; k < digits.size(); ++k) {
      const bool last = k + 1 == digits.size();
      value += (last ? rest : rest % digits[k].count) * digits[k].stride;
      if (!last) rest /= digits[k].count;
    }
    values.push_back(value);
  }
  return values;
}

struct Random {
  std::mt19937 engine{property_seed()};
  std::int32_t operator()(std::int32_t low, std::int32_t high) {
    return std::uniform_int_distribution<std::int32_t>(low, high)(engine);
  }
};

// A sequence of nested strides without repetitions, in any order of the digits and with strides of both signs.
StridedBlocks random_blocks(Random& random, std::int32_t most) {
  for (;;) {
    const int count = random(1, 3);
    std::vector<StridedBlocks::Digit> digits;
    std::int32_t stride = random(1, 3);
    std::int32_t lowest = 0;
    std::int32_t elements = 1;
    for (int k = 0; k < count; ++k) {
      const std::int32_t n = random(1, 7);
      const bool reversed = random(0, 3) == 0;
      digits.push_back({n, reversed ? -stride : stride});
      if (reversed) lowest -= stride * (n - 1);
      stride = stride * n + random(0, 1) * random(0, 5);
      elements *= n;
    }
    std::shuffle(digits.begin(), digits.end(), random.engine);
    const std::int32_t size = random(0, 2) == 0 ? random(0, elements) : elements;
    const auto made = StridedBlocks::from_digits(random(0, 4) - lowest, digits, size);
    if (made && size <= most) return *made;
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_formula_is_the_digits) {
  const std::vector<std::pair<std::vector<StridedBlocks::Digit>, std::int32_t>> cases{
      {{{10, 1}}, 10},
      {{{10, -3}}, 10},
      {{{4, 1}, {5, 10}}, 20},
      {{{4, 1}, {5, 10}}, 18},
      {{{2, 1}, {3, 8}, {5, 100}}, 30},
      {{{4, 6}, {6, 1}}, 24},
      {{{3, -1}, {3, 9}, {3, -27}}, 27},
      {{{4, 1}, {3, 4}, {2, 100}}, 24},
      {{{1, 7}, {3, 4}, {1, 9}, {2, 100}}, 6},
      {{{7, 5}}, 1},
  };
  for (const auto& [digits, size] : cases) {
    const auto sequence = StridedBlocks::from_digits(50, digits, size);
    BOOST_REQUIRE(sequence);
    BOOST_TEST(values_of(*sequence) == by_digits(50, digits, size), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(reciprocals_are_exact_up_to_the_last_index) {
  const std::int32_t last = std::numeric_limits<std::int32_t>::max() - 1;
  for (const std::int32_t block : {2, 3, 5, 7, 641, 65535, 65537, 1000003, 46340, 1073741823, 1073741824, 2147483646}) {
    const StridedBlocks::Digit digits[] = {{block, 0}, {1, 1}};
    const auto quotient = StridedBlocks::from_digits(0, digits, last + 1);
    BOOST_REQUIRE(quotient);
    for (const std::int32_t r :
         {0, 1, block - 1, block, 2 * (block / 2) + 1, last - last % block - 1, last - last % block, last}) {
      if (r >= 0 && r <= last) BOOST_TEST((*quotient)(r) == r / block);
    }
  }
}

BOOST_AUTO_TEST_CASE(equal_sequences_compare_equal_however_they_were_said) {
  const StridedBlocks::Digit fused[] = {{4, 1}, {3, 4}};
  BOOST_TEST((*StridedBlocks::from_digits(2, fused, 12) == StridedBlocks::linear(2, 1, 12)));
  const StridedBlocks::Digit unreached[] = {{8, 2}, {3, 100}};
  BOOST_TEST((*StridedBlocks::from_digits(0, unreached, 8) == StridedBlocks::linear(0, 2, 8)));
  BOOST_TEST((StridedBlocks::linear(5, 9, 1) == StridedBlocks::linear(5, 1, 1)));
  BOOST_TEST((StridedBlocks::linear(5, 9, 0) == StridedBlocks{}));
}

BOOST_AUTO_TEST_CASE(whatever_is_made_is_detected_again) {
  Random random;
  for (int trial = 0; trial < 3000; ++trial) {
    const StridedBlocks made = random_blocks(random, 500);
    const auto found = detect(values_of(made));
    BOOST_REQUIRE(found);
    BOOST_REQUIRE(*found == made);
  }
}

BOOST_AUTO_TEST_CASE(what_is_detected_is_what_was_given) {
  Random random;
  for (int trial = 0; trial < 3000; ++trial) {
    Values values = values_of(random_blocks(random, 500));
    if (values.empty()) continue;
    values[static_cast<std::size_t>(random(0, static_cast<std::int32_t>(values.size()) - 1))] += random(0, 2);
    if (const auto found = detect(values)) BOOST_REQUIRE(values_of(*found) == values);
  }
}

BOOST_AUTO_TEST_CASE(four_digits_need_the_deep_form) {
  const DeepStridedBlocks::Digit digits[] = {{2, 1}, {2, 10}, {2, 100}, {2, 1000}};
  const auto deep = DeepStridedBlocks::from_digits(0, digits, 16);
  BOOST_REQUIRE(deep);
  BOOST_TEST(!detect(values_of(*deep)));
  BOOST_TEST((*detect_deep(values_of(*deep)) == *deep));
  for (std::int32_t r = 0; r < 16; ++r) BOOST_TEST(deep->index_of((*deep)(r)) == r);
}

BOOST_AUTO_TEST_CASE(index_of_is_the_first_place_or_none) {
  Random random;
  for (int trial = 0; trial < 2000; ++trial) {
    const StridedBlocks sequence = random_blocks(random, 300);
    const Values values = values_of(sequence);
    const InverseFormula inverse(sequence);
    for (std::int32_t value = -3; value < 400; ++value) {
      BOOST_REQUIRE(inverse(value) == sequence.index_of(value));
      const auto at = std::find(values.begin(), values.end(), value);
      BOOST_REQUIRE(sequence.index_of(value) ==
                    (at == values.end() ? -1 : static_cast<std::int32_t>(at - values.begin())));
    }
  }
  // Strides that do not nest, and values that come twice.
  const StridedBlocks::Digit crossing[] = {{2, 2}, {2, 3}};
  BOOST_TEST(StridedBlocks::from_digits(0, crossing, 4)->index_of(5) == 3);
  const StridedBlocks::Digit twice[] = {{3, 1}, {3, 1}};
  BOOST_TEST(StridedBlocks::from_digits(0, twice, 9)->index_of(2) == 2);
  BOOST_TEST(StridedBlocks::linear(7, 0, 5).index_of(7) == 0);
}

BOOST_AUTO_TEST_CASE(filling_an_array_gives_the_single_values) {
  Random random;
  for (int trial = 0; trial < 2000; ++trial) {
    const StridedBlocks sequence = random_blocks(random, 300);
    const std::int32_t first = random(0, sequence.size());
    Values out(static_cast<std::size_t>(random(0, sequence.size() - first)));
    evaluate(sequence, first, out);
    for (std::size_t i = 0; i < out.size(); ++i)
      BOOST_REQUIRE(out[i] == sequence(first + static_cast<std::int32_t>(i)));
  }
}

BOOST_AUTO_TEST_CASE(composition_agrees_with_evaluation_wherever_it_answers) {
  Random random;
  int answered = 0;
  int detectable = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const StridedBlocks outer = random_blocks(random, 500);
    const StridedBlocks inner = random_blocks(random, 500);
    Values expected;
    bool inside = true;
    for (const std::int32_t r : values_of(inner)) {
      inside = inside && r < outer.size();
      expected.push_back(outer(r));
    }
    if (!inside) continue;
    detectable += detect(expected) ? 1 : 0;
    if (const auto composed = compose(outer, inner)) {
      ++answered;
      BOOST_REQUIRE(values_of(*composed) == expected);
      BOOST_REQUIRE(*composed == *detect(expected));
    }
  }
  BOOST_TEST_MESSAGE(answered << " of " << detectable << " regular compositions in closed form");
  BOOST_TEST(answered > detectable / 2);
}

BOOST_AUTO_TEST_CASE(splits_of_splits_stay_closed_at_any_depth) {
  StridedBlocks map = StridedBlocks::linear(0, 1, 1 << 20);
  for (std::int32_t stride = 1; map.size() > 1; stride *= 2) {
    BOOST_TEST((map == StridedBlocks::linear(stride - 1, stride, (1 << 20) / stride)));
    const auto odd = compose(map, StridedBlocks::linear(1, 2, map.size() / 2));
    BOOST_REQUIRE(odd);
    map = *odd;
  }
}

BOOST_AUTO_TEST_CASE(sub_grids_of_sub_grids_stay_closed) {
  // A 16 x 12 x 10 x 8 grid in row-major order; drop the second dimension, then the last of the remaining three.
  const StridedBlocks::Digit kept[] = {{8, 1}, {10, 8}, {16, 960}};
  const auto first = StridedBlocks::from_digits(3 * 80, kept, 1280);
  BOOST_REQUIRE(first);
  const StridedBlocks::Digit again[] = {{10, 8}, {16, 80}};
  const auto second = compose(*first, *StridedBlocks::from_digits(5, again, 160));
  BOOST_REQUIRE(second);
  const StridedBlocks::Digit expected[] = {{10, 8}, {16, 960}};
  BOOST_TEST((*second == *StridedBlocks::from_digits(3 * 80 + 5, expected, 160)));
  // The transpose of a plane of it.
  const StridedBlocks::Digit transposed[] = {{16, 10}, {10, 1}};
  const StridedBlocks::Digit columns[] = {{16, 960}, {10, 8}};
  BOOST_TEST((*compose(*second, *StridedBlocks::from_digits(0, transposed, 160)) ==
              *StridedBlocks::from_digits(3 * 80 + 5, columns, 160)));
}

BOOST_AUTO_TEST_CASE(slices_and_concatenations_agree_with_the_elements) {
  Random random;
  int joined_again = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const StridedBlocks all = random_blocks(random, 500);
    const Values values = values_of(all);
    const std::int32_t cut = random(0, all.size());
    const StridedBlocks low = all.prefix(cut);
    BOOST_REQUIRE(values_of(low) == Values(values.begin(), values.begin() + cut));
    const auto high = slice(all, cut, all.size() - cut);
    if (!high) continue;
    BOOST_REQUIRE(values_of(*high) == Values(values.begin() + cut, values.end()));
    if (const auto joined = concatenate(low, *high)) {
      ++joined_again;
      BOOST_REQUIRE(*joined == all);
    }
    // Any two sequences: never a wrong answer.
    const StridedBlocks other = random_blocks(random, 500);
    if (const auto joined = concatenate(all, other)) {
      Values both = values;
      const Values more = values_of(other);
      both.insert(both.end(), more.begin(), more.end());
      BOOST_REQUIRE(values_of(*joined) == both);
    }
  }
  BOOST_TEST(joined_again > 1000);
  BOOST_TEST((*concatenate(StridedBlocks::linear(0, 2, 5), StridedBlocks::linear(1, 2, 5)))(5) == 1);
}

BOOST_AUTO_TEST_CASE(vector_code_finds_the_same_mismatch_as_the_plain_loop) {
  Random random;
  for (int trial = 0; trial < 3000; ++trial) {
    const auto size = static_cast<std::size_t>(random(2, 700));
    // Small lags are widened to whole cache lines.
    const std::int32_t most = static_cast<std::int32_t>(size) - 1;
    const auto lag = static_cast<std::size_t>(random(1, trial % 2 == 0 ? most : std::min(most, 9)));
    const auto start =
        static_cast<std::size_t>(random(static_cast<std::int32_t>(lag), static_cast<std::int32_t>(size)));
    const std::int32_t step = random(0, 1) == 0 ? random(-9, 9) : random(2147483000, 2147483647);
    Values values(size);
    for (std::size_t r = 0; r < size; ++r) {
      values[r] = r < lag ? random(0, 100)
                          : static_cast<std::int32_t>(static_cast<std::uint32_t>(values[r - lag]) +
                                                      static_cast<std::uint32_t>(step));
    }
    if (random(0, 1) == 0) values[static_cast<std::size_t>(random(0, static_cast<std::int32_t>(size) - 1))] ^= 1;
    const std::size_t expected = mismatch_kernels().back().run(values, start, lag, step);
    BOOST_REQUIRE(first_mismatch(values, start, lag, step) == expected);
    for (const MismatchKernel& kernel : mismatch_kernels()) {
      BOOST_TEST_CONTEXT(kernel.name) { BOOST_REQUIRE(kernel.run(values, start, lag, step) == expected); }
    }
  }
}
