#include "types/message_sites.h"

#include <boost/test/unit_test.hpp>

namespace marshal {

BOOST_AUTO_TEST_SUITE(message_sites_test)

BOOST_AUTO_TEST_CASE(a_place_whose_types_carry_much_is_always_read) {
  MessageSites sites;
  for (int life = 0; life < 100; ++life) {
    BOOST_TEST(sites.is_worth_reading(7));
    sites.ended(7, 250'000, 3000);
  }
}

BOOST_AUTO_TEST_CASE(a_place_whose_types_carry_little_is_read_ever_more_seldom) {
  MessageSites sites;
  int read = 0;
  for (int life = 0; life < 102400; ++life)
    if (sites.is_worth_reading(7)) {
      ++read;
      sites.ended(7, 200, 3000);
    }
  BOOST_TEST(read > 90);
  BOOST_TEST(read < 130);
}

BOOST_AUTO_TEST_CASE(one_good_life_ends_the_skipping) {
  MessageSites sites;
  for (int life = 0; life < 10; ++life) sites.ended(7, 0, 3000);
  sites.ended(7, 250'000, 3000);
  BOOST_TEST(sites.is_worth_reading(7));
}

constexpr unsigned most = 254;

BOOST_AUTO_TEST_CASE(after_one_in_vain_a_type_is_read_once_its_messages_have_paid) {
  MessageSites sites;
  BOOST_TEST(sites.is_read_at_commit(7));
  sites.ended(7, 0, 3000);
  BOOST_TEST(!sites.is_read_at_commit(7));
  BOOST_TEST(!sites.is_read_in_message(7, 1, most, 250));
  BOOST_TEST(!sites.is_read_in_message(7, 2, most, 1999));
  BOOST_TEST(sites.is_read_in_message(7, 2, most, 2000));
  BOOST_TEST(!sites.is_read_in_message(7, 15, most, 250));
  BOOST_TEST(sites.is_read_in_message(7, 16, most, 250));
  sites.ended(7, 250'000, 3000);
  BOOST_TEST(sites.is_read_at_commit(7));
}

BOOST_AUTO_TEST_CASE(each_in_vain_lets_the_next_wait_twice_as_long) {
  MessageSites sites;
  for (std::int64_t paid = 4000; paid < 2'000'000; paid *= 2) {
    sites.ended(7, 200, 3000);
    BOOST_TEST(!sites.is_read_in_message(7, 2, most, paid / 2 - 1));
    BOOST_TEST(sites.is_read_in_message(7, 2, most, paid / 2));
  }
}

BOOST_AUTO_TEST_CASE(types_that_travel_little_are_read_at_their_first_message_ever_more_seldom) {
  MessageSites sites;
  sites.ended(7, 0, 3000);
  int read = 0;
  for (int life = 0; life < 102400; ++life)
    if (sites.is_read_in_message(7, 1, most, 200)) {
      ++read;
      sites.ended(7, 200, 3000);
    }
  BOOST_TEST(read > 90);
  BOOST_TEST(read < 130);
}

BOOST_AUTO_TEST_CASE(types_of_many_short_messages_are_read_a_few_times_in_vain) {
  MessageSites sites;
  for (int life = 0; life < 4; ++life) {
    BOOST_TEST(sites.is_read_in_message(7, most, most, 2));
    sites.ended(7, 200, 3000);
  }
  BOOST_TEST(!sites.is_read_in_message(7, most, most, 2));
}

BOOST_AUTO_TEST_CASE(places_do_not_disturb_each_other) {
  MessageSites sites;
  sites.ended(7, 0, 3000);
  BOOST_TEST(!sites.is_worth_reading(7));
  BOOST_TEST(sites.is_worth_reading(8));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace marshal
