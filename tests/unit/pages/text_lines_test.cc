#include <boost/test/unit_test.hpp>

#include "pages/table.h"

using namespace marshal::report;

BOOST_AUTO_TEST_CASE(lines_hold_whole_words_and_units_stay_with_their_numbers) {
  const std::vector<std::string> lines = wrap("it takes 12.5 % of 30 MiB, or so", 10);
  const std::vector<std::string> expected{"it takes", "12.5 % of", "30 MiB, or", "so"};
  BOOST_TEST(lines == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_word_longer_than_a_line_loses_its_middle) {
  const std::vector<std::string> lines = wrap("a /very/long/path.json b", 10);
  const std::vector<std::string> expected{"a", "/ver...son", "b"};
  BOOST_TEST(lines == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(columns_are_code_points) {
  BOOST_TEST(columns_of("\xC3\xA4\xC3\xB6") == 2u);
  BOOST_TEST(cut("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC", 5) == "\xC3\xA4...\xC3\xBC");
  BOOST_TEST(cut("short", 5) == "short");
}
