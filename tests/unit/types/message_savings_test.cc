#include "types/message_savings.h"

#include <boost/test/unit_test.hpp>

namespace marshal {

BOOST_AUTO_TEST_SUITE(message_savings_test)

BOOST_AUTO_TEST_CASE(single_numbers_save_more_than_their_bytes_tell) {
  BOOST_TEST(MessageSavings(8, false).ns_of(8000) == 3000);  // 1000 blocks
  BOOST_TEST(MessageSavings(64, false).ns_of(8000) == 2000);
  BOOST_TEST(MessageSavings(0, false).ns_of(8000) == 2000);
}

BOOST_AUTO_TEST_CASE(parts_save_what_the_whole_does) {
  const MessageSavings savings(8, false);
  BOOST_TEST(10 * savings.ns_of(4096) == savings.ns_of(40960));
}

BOOST_AUTO_TEST_CASE(messages_of_one_piece_may_save_alike) {
  const MessageSavings savings(8, true);
  BOOST_TEST(savings.ns_of(8) == 64);
  BOOST_TEST(savings.ns_of(8192) == 64);
  BOOST_TEST(savings.ns_of(16384) == 6144);
}

BOOST_AUTO_TEST_CASE(what_was_measured_counts) {
  BOOST_TEST(MessageSavings::measured(11).ns_of(7744) == 83);
  BOOST_TEST(MessageSavings::measured(-5).ns_of(7744) == 0);
}

BOOST_AUTO_TEST_CASE(the_longest_messages_do_not_overflow) {
  BOOST_TEST(MessageSavings(1, false).ns_of(std::int64_t{1} << 50) == std::int64_t{3} << 50);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace marshal
