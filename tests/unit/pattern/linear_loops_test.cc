#include "pattern/linear_loops.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "tests/unit/property_seed.h"
#include "tests/unit/uniform_draw.h"

namespace marshal {
namespace {

using Values = std::vector<std::int32_t>;

// As the header says it, one value at a time, in 64 bits.
std::int32_t index_of(const LinearValues& of, std::int32_t absent, std::int32_t value) {
  const std::int64_t above = std::int64_t{value} - of.lowest;
  if (above < 0 || above % of.apart != 0 || above / of.apart > of.last) return absent;
  const auto steps = static_cast<std::int32_t>(above / of.apart);
  return of.downwards ? static_cast<std::int32_t>(of.last) - steps : steps;
}

BOOST_AUTO_TEST_CASE(values_become_their_indices_at_every_distance_and_in_every_vector_size) {
  UniformDraw draw(property_seed());
  for (const LinearLoops& loops : linear_loops()) BOOST_TEST_CONTEXT(loops.name) {
      for (int trial = 0; trial < 4000; ++trial) {
        LinearValues of{};
        of.apart = static_cast<std::uint32_t>(draw(0, 1) == 0 ? draw(1, 9) : draw(1, 1 << draw(0, 30)));
        const int most = static_cast<int>(INT32_MAX / of.apart);
        of.last = static_cast<std::uint32_t>(draw(0, 1) == 0 ? draw(0, std::min(most, 100)) : draw(0, most));
        of.lowest = draw(0, INT32_MAX - static_cast<int>(of.apart * of.last));
        of.downwards = draw(0, 1) == 0;
        Values values(static_cast<std::size_t>(draw(0, 70)));
        for (std::int32_t& value : values) {
          const auto near = of.lowest + static_cast<std::int32_t>(of.apart) * draw(0, static_cast<int>(of.last));
          value = draw(0, 3) == 0 ? draw(INT32_MIN, INT32_MAX) : near - (draw(0, 3) == 0 ? 1 : 0);
        }
        Values expected = values;
        for (std::int32_t& value : expected) value = index_of(of, -7, value);
        loops.invert(of, -7, values);
        BOOST_REQUIRE(values == expected);
      }
    }
}

BOOST_AUTO_TEST_CASE(formulas_are_evaluated_alike_in_every_vector_size) {
  UniformDraw draw(property_seed());
  for (const LinearLoops& loops : linear_loops()) BOOST_TEST_CONTEXT(loops.name) {
      for (int trial = 0; trial < 1000; ++trial) {
        const LinearFormula formula{static_cast<std::uint32_t>(draw(0, 100000)),
                                    static_cast<std::uint32_t>(draw(-1000, 1000))};
        Values filled(static_cast<std::size_t>(draw(0, 70))), applied(filled.size()), expected(filled.size());
        std::iota(applied.begin(), applied.end(), 0);
        for (std::size_t i = 0; i < expected.size(); ++i)
          expected[i] = static_cast<std::int32_t>(formula.start + static_cast<std::uint32_t>(i) * formula.step);
        loops.fill(formula, filled);
        loops.apply(formula, applied);
        BOOST_REQUIRE(filled == expected);
        BOOST_REQUIRE(applied == expected);
      }
    }
}

BOOST_AUTO_TEST_CASE(one_index_out_of_range_or_order_is_seen_wherever_it_stands) {
  for (const LinearLoops& loops : linear_loops()) BOOST_TEST_CONTEXT(loops.name) {
      for (std::int32_t size = 0; size < 40; ++size) {
        Values values(static_cast<std::size_t>(size));
        std::iota(values.begin(), values.end(), 0);
        BOOST_REQUIRE(loops.check(values, size).in_range && loops.check(values, size).in_order);
        for (std::int32_t& value : values) {
          const std::int32_t kept = value;
          for (const std::int32_t wrong : {-1, size, INT32_MIN, INT32_MAX}) {
            value = wrong;
            BOOST_REQUIRE(!loops.check(values, size).in_range && !loops.check(values, size).in_order);
          }
          value = kept == 0 ? size - 1 : 0;
          BOOST_REQUIRE(loops.check(values, size).in_range);
          BOOST_REQUIRE(loops.check(values, size).in_order == (value == kept));
          value = kept;
        }
      }
    }
}

}  // namespace
}  // namespace marshal
