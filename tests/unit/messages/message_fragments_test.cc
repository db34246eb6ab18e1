#include "messages/message_fragments.h"

#include <boost/test/unit_test.hpp>
#include <limits>

using marshal::range_within;

namespace {

constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();
constexpr std::int64_t many = std::int64_t{5} << 40;

bool is(const marshal::datatype::PackedRange& range, std::int64_t from, std::int64_t to) {
  return range.from == from && range.to == to;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_fragment_ends_where_its_room_or_the_message_ends) {
  BOOST_TEST(is(range_within(0, 10, 100), 0, 10));
  BOOST_TEST(is(range_within(95, 10, 100), 95, 100));
  BOOST_TEST(is(range_within(100, 10, 100), 100, 100));
  BOOST_TEST(is(range_within(many - 1, 10, many), many - 1, many));
}

BOOST_AUTO_TEST_CASE(room_without_bound_holds_all_the_rest) {
  BOOST_TEST(is(range_within(0, unbounded, 100), 0, 100));
  BOOST_TEST(is(range_within(60, unbounded, 100), 60, 100));
  BOOST_TEST(is(range_within(7, unbounded / 2 + 1, many), 7, many));
}

BOOST_AUTO_TEST_CASE(nothing_is_beyond_the_end_of_a_message) {
  BOOST_TEST(is(range_within(101, 10, 100), 100, 100));
  BOOST_TEST(is(range_within(unbounded, unbounded, 100), 100, 100));
}
