#include <boost/test/unit_test.hpp>

#include "types/site_history.h"

namespace marshal {

BOOST_AUTO_TEST_SUITE(message_life)

BOOST_AUTO_TEST_CASE(messages_of_one_piece_may_save_alike) {
  BOOST_TEST(ns_saved_in_message(8, 384) == 64);
  BOOST_TEST(ns_saved_in_message(8192, 384) == 64);
  BOOST_TEST(ns_saved_in_message(16384, 384) == 6144);
  detail::is_open_mpi = true;
  BOOST_TEST(ns_saved_in_message(8192, 384) == 3072);
  detail::is_open_mpi = false;
}

BOOST_AUTO_TEST_CASE(a_place_whose_types_carry_much_is_always_read) {
  SiteHistory place;
  for (int life = 0; life < 100; ++life) {
    BOOST_TEST(place.pays_in_messages());
    MessageLife type(place, 256, 3000);
    type.moved(1'000'000);
    type.ended();
  }
}

BOOST_AUTO_TEST_CASE(a_place_is_believed_to_pay_until_one_type_was_read_in_vain) {
  SiteHistory place;
  BOOST_TEST(place.pays_in_messages());
  MessageLife(place, 256, 3000).ended();
  BOOST_TEST(!place.pays_in_messages());
}

// As of types whose blocks are so long that the host moves them as fast: a guess from their bytes alone stays too high.
BOOST_AUTO_TEST_CASE(types_that_save_nothing_are_read_ever_more_seldom) {
  SiteHistory place;
  int read = 0;
  for (int life = 0; life < 400; ++life) {
    const float saved = ns_saved_in_message(100'000, place.ns_of_a_kib());
    if (place.pays_in_messages() || saved >= place.reading_ns()) {
      ++read;
      MessageLife(place, 0, 4000).ended();
    } else {
      place.ended_after_messages(saved, place.reading_ns());
    }
  }
  BOOST_TEST(read <= 12);
}

// As of faces of a small grid: what the messages save is a little more than reading alone takes, and less than the
// entry in the book takes besides.
BOOST_AUTO_TEST_CASE(types_that_save_no_more_than_they_cost_are_left_to_the_host) {
  SiteHistory place;
  int read = 0;
  for (int life = 0; life < 400; ++life) {
    if (!place.pays_in_messages()) {
      place.ended_after_messages(3500, place.reading_ns());
      continue;
    }
    ++read;
    MessageLife type(place, 256, 3000);
    type.moved(3500 * 1024 / 256);
    type.ended();
  }
  BOOST_TEST(read <= 12);
}

// One such type says nothing new, so that the next one costs no more than a comparison.
BOOST_AUTO_TEST_CASE(where_next_to_nothing_is_saved_one_long_life_is_still_noticed) {
  SiteHistory place;
  for (int life = 0; life < 100; ++life) place.ended_after_messages(64, place.reading_ns());
  BOOST_TEST(!place.pays_in_messages());
  for (int life = 0; life < 2; ++life) MessageLife(place, 1e6F, 4000).ended();
  for (int life = 0; life < 2; ++life) place.ended_after_messages(1e6F, place.reading_ns());
  BOOST_TEST(place.pays_in_messages());
}

BOOST_AUTO_TEST_CASE(types_that_come_to_save_are_read_again) {
  SiteHistory place;
  for (int life = 0; life < 20; ++life) MessageLife(place, 0, 4000).ended();
  BOOST_TEST(!place.pays_in_messages());
  int read = 0;
  for (int life = 0; life < 100; ++life) {
    const float saved = ns_saved_in_message(10'000'000, place.ns_of_a_kib());
    if (place.pays_in_messages() || saved >= place.reading_ns()) {
      ++read;
      MessageLife type(place, 256, 4000);
      type.moved(10'000'000);
      type.ended();
    } else {
      place.ended_after_messages(saved, place.reading_ns());
    }
  }
  BOOST_TEST(read >= 90);
}

BOOST_AUTO_TEST_CASE(the_longest_messages_do_not_overflow) {
  BOOST_TEST(ns_saved_in_message(std::int64_t{1} << 50, 3072) > 3e15F);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace marshal
