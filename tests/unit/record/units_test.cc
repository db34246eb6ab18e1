#include "record/units.h"

#include <boost/test/unit_test.hpp>

#include "pages/table.h"

using namespace marshal::report;

BOOST_AUTO_TEST_CASE(bytes_take_binary_units) {
  BOOST_TEST(bytes_text(0) == "0 B");
  BOOST_TEST(bytes_text(64) == "64 B");
  BOOST_TEST(bytes_text(2232) == "2.18 KiB");
  BOOST_TEST(bytes_text(360.0 * 1024 * 1024) == "360 MiB");
  BOOST_TEST(bytes_text(1023.9) == "1 KiB");
  BOOST_TEST(bytes_text(1e30).ends_with("EiB"));
}

BOOST_AUTO_TEST_CASE(times_take_the_unit_that_suits) {
  BOOST_TEST(seconds_text(0) == "0 s");
  BOOST_TEST(seconds_text(1.5e-9) == "1.5 ns");
  BOOST_TEST(seconds_text(2.5e-3) == "2.5 ms");
  BOOST_TEST(seconds_text(12.34) == "12.3 s");
  BOOST_TEST(seconds_text(125) == "2 min 05 s");
  BOOST_TEST(seconds_text(7380) == "2 h 03 min");
  BOOST_TEST(seconds_text(-1) == "not available");
}

BOOST_AUTO_TEST_CASE(counts_and_ranks_and_rates) {
  BOOST_TEST(count_text(718000) == "718000");
  BOOST_TEST(count_text(1234567) == "1.23 M");
  BOOST_TEST(ranks_text(1 << 20) == "1 M");
  BOOST_TEST(ranks_text(786432) == "768 K");
  BOOST_TEST(ranks_text(8192) == "8192");
  BOOST_TEST(rate_text(11.5e9) == "11.5 GB/s");
  BOOST_TEST(rate_text(5e6) == "5 MB/s");
  BOOST_TEST(percent_text(0.000001) == "< 0.01 %");
  BOOST_TEST(percent_text(0.258) == "26 %");
  BOOST_TEST(percent_text(0) == "0.00 %");
  BOOST_TEST(range_text(2, 8) == "2-8");
  BOOST_TEST(number_text(123456) == "123456");
  BOOST_TEST(number_text(1.87512) == "1.875");
}

BOOST_AUTO_TEST_CASE(a_table_aligns_by_what_is_seen_not_by_bytes) {
  Table table({{"name", Align::left, 5}, {"n"}});
  table.add({"é", "1"});
  table.add({"abcdefgh", "22"});
  table.add({"x"});
  BOOST_TEST(table.text() == "  name    n\n  é       1\n  a...h  22\n  x\n");
}
