#include <boost/test/unit_test.hpp>

#include "datatype/flatten.h"
#include "datatype/position_marks.h"
#include "datatype/walk.h"
#include "tests/unit/datatype/random_type.h"
#include "tests/unit/property_seed.h"

namespace marshal::datatype {

using testing::RandomType;

BOOST_AUTO_TEST_SUITE(block_finder)

BOOST_AUTO_TEST_CASE(every_packed_byte_is_in_the_block_that_walking_finds) {
  const std::uint64_t first = property_seed();
  for (std::uint64_t seed = first; seed < first + 300; ++seed) {
    RandomType random(seed);
    const Pieces pieces = flattened(random(static_cast<int>(random.number(0, 4)), 2000));
    const BlockFinder finder(pieces);
    for_each_block(pieces, 0, 0, {0, packed_size(pieces)}, [&](std::int64_t, std::int64_t begin, std::int64_t length) {
      for (const std::int64_t at : {begin, begin + length / 2, begin + length - 1}) {
        const PackedBlock block = finder.find(at);
        BOOST_REQUIRE_EQUAL(block.begin, begin);
        BOOST_REQUIRE_EQUAL(block.length, length);
      }
    });
  }
}

BOOST_AUTO_TEST_CASE(elements_of_one_size_are_told_from_others) {
  BOOST_TEST(element_size(Vector{5, 2, 7, basic(8)}) == 8);
  BOOST_TEST(element_size(Struct{{1, 2}, {0, 16}, {basic(4), Contiguous{3, basic(4)}}}) == 4);
  BOOST_TEST(element_size(Struct{{1, 2}, {0, 16}, {basic(4), basic(8)}}) == 0);
  BOOST_TEST(element_size(Vector{5, 2, 7, Named{{{0, 2}, {4, 4}}, 8, 4}}) == 6);
}

BOOST_AUTO_TEST_CASE(the_only_predefined_type_of_a_type) {
  const Type number = Named{{{0, 4}}, 4, 1, 7}, other = Named{{{0, 4}}, 4, 1, 8};
  BOOST_TEST(only_element(Vector{5, 2, 7, number}) == 7U);
  BOOST_TEST(only_element(Struct{{1, 2}, {0, 16}, {number, Contiguous{3, number}}}) == 7U);
  BOOST_TEST(only_element(Struct{{1, 2}, {0, 16}, {number, other}}) == 0U);
  BOOST_TEST(only_element(Struct{{1, 2}, {0, 16}, {number, basic(4)}}) == 0U);
  BOOST_TEST((encoded(Vector{5, 2, 7, number}) == encoded(Vector{5, 2, 7, other})));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace marshal::datatype
