#include "base/printable_text.h"

#include <boost/test/unit_test.hpp>

using marshal::printable;

BOOST_AUTO_TEST_CASE(text_from_elsewhere_cannot_steer_a_terminal) {
  BOOST_TEST(printable("\x1b[31mred\x1b[0m") == "\\x1b[31mred\\x1b[0m");
  BOOST_TEST(printable("two\nlines\t\r\x7f") == "two\\x0alines\\x09\\x0d\\x7f");
  BOOST_TEST(printable("\xc2\x9b"
                       "31m") == "\\x9b31m");  // CSI as one character of Unicode
  BOOST_TEST(printable("Jülich: größer \xc2\xa0") == "Jülich: größer \xc2\xa0");
  BOOST_TEST(printable("") == "");
  BOOST_TEST(printable("\xc2") == "\xc2");
}
