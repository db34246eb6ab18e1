#include "datatype/layout_text.h"

#include <boost/test/unit_test.hpp>

#include "datatype/flatten.h"

using namespace marshal::datatype;

BOOST_AUTO_TEST_SUITE(layout_texts)

BOOST_AUTO_TEST_CASE(layouts_are_told_in_words) {
  BOOST_TEST(layout_text(flattened(Vector{64, 1, 16, basic(8)})) == "64 x 8 B every 128 B");
  BOOST_TEST(layout_text(flattened(Contiguous{9, basic(8)})) == "72 B");
  BOOST_TEST(layout_text({}) == "nothing");
}

BOOST_AUTO_TEST_CASE(lines_that_blocks_share_count_once) {
  BOOST_TEST(touched_lines(flattened(Vector{64, 1, 2, basic(8)})) == 16);
  BOOST_TEST(touched_lines(flattened(Vector{64, 1, 8, basic(8)})) == 64);
  BOOST_TEST(touched_lines(flattened(Contiguous{8, basic(8)}), 96, 4) == 6);
  BOOST_TEST(touched_lines(flattened(Hindexed{{1, 20, 1, 1}, {640, 8, 0, 168}, basic(8)})) == 4);
}

BOOST_AUTO_TEST_SUITE_END()
