#include "base/split_text.h"

#include <boost/test/unit_test.hpp>
#include <string_view>
#include <vector>

using namespace marshal;
using Parts = std::vector<std::string_view>;

BOOST_AUTO_TEST_CASE(blanks_at_both_ends_go_and_those_inside_stay) {
  BOOST_TEST(trimmed(" \t a b\r\n") == "a b");
  BOOST_TEST(trimmed("ab") == "ab");
  BOOST_TEST(trimmed(" \n").empty());
  BOOST_TEST(trimmed("").empty());
}

BOOST_AUTO_TEST_CASE(parts_are_trimmed_and_there_is_one_more_than_separators) {
  BOOST_TEST(split("best, nodecart ,kdtree", ',') == (Parts{"best", "nodecart", "kdtree"}));
  BOOST_TEST(split("4x8", 'x') == (Parts{"4", "8"}));
  BOOST_TEST(split("one", ',') == (Parts{"one"}));
  BOOST_TEST(split(",a,,", ',') == (Parts{"", "a", "", ""}));
  BOOST_TEST(split("", ',') == (Parts{""}));
}
