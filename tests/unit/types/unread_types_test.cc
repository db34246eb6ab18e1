#include "types/unread_types.h"

#include <boost/test/unit_test.hpp>

namespace marshal {

BOOST_AUTO_TEST_SUITE(unread_types)

BOOST_AUTO_TEST_CASE(packs_pass_until_what_was_granted_is_used_up) {
  UnreadTypes types;
  UnreadTypes::Place& place = types.begin(17, TypeState::committed, 3, 100);
  BOOST_TEST(types.find(17) == &place);
  BOOST_TEST(place.may_pass_on());
  BOOST_TEST(place.passed_on(60));
  BOOST_TEST(!place.passed_on(60));
  BOOST_TEST(!place.may_pass_on());
}

BOOST_AUTO_TEST_CASE(the_time_of_what_passed_counts_once) {
  UnreadTypes types;
  TypeLives lives;
  lives.host_took(100, 200);
  UnreadTypes::Place& place = types.begin(17, TypeState::counted, 3, 0);
  place.begin_life(lives);
  place.grant(1000);
  place.passed_on(100);
  BOOST_TEST(place.ns_by_host() == 200);
  BOOST_TEST(place.settle() == 200);
  BOOST_TEST(place.settle() == 200);
  BOOST_TEST(!place.may_pass_on());
}

BOOST_AUTO_TEST_CASE(a_new_type_has_nothing_of_the_one_before) {
  UnreadTypes types;
  TypeLives lives;
  UnreadTypes::Place& place = types.begin(17, TypeState::counted, 3, 50);
  place.begin_life(lives);
  place.travels();
  place.kind = 3;
  types.begin(17, TypeState::committed, 4, 1);
  BOOST_TEST(!place.is_of_kind());
  BOOST_TEST(place.lives.load() == nullptr);
  BOOST_TEST(!place.has_travelled());
  BOOST_TEST(place.granted == 1);
  types.forget(place);
  BOOST_TEST(types.find(17) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_type_is_unread_until_it_is_worth_reading) {
  UnreadTypes types;
  UnreadTypes::Place& place = types.begin(17, TypeState::committed, 3, 1);
  for (const TypeState state : {TypeState::committed, TypeState::counted, TypeState::waited_for}) {
    place.state = state;
    BOOST_TEST(place.is_unread());
  }
  place.state = TypeState::worth_reading;
  BOOST_TEST(!place.is_unread());
}

BOOST_AUTO_TEST_CASE(messages_are_counted_until_nobody_asks) {
  UnreadTypes types;
  UnreadTypes::Place& place = types.begin(17, TypeState::committed, 3, 50);
  BOOST_TEST(!place.has_travelled());
  BOOST_TEST(place.travels() == 1);
  BOOST_TEST(place.travels() == 2);
  for (int i = 0; i < 1000; ++i) place.travels();
  BOOST_TEST(place.travels() == unsigned{UnreadTypes::Place::most_messages});
  place.ask_no_more();
  BOOST_TEST(place.travels() == 0);
  BOOST_TEST(place.has_travelled());
}

BOOST_AUTO_TEST_CASE(places_whose_types_live_briefly_watch_one_type_in_eight) {
  FirstGrants grants;
  for (int i = 0; i < 4; ++i) {
    BOOST_TEST(grants.of_next(5) == 1);
    grants.lived_briefly(5, 4096);
  }
  int watched = 0;
  for (int i = 0; i < 80; ++i) watched += grants.of_next(5) == 1 ? 1 : 0;
  BOOST_TEST(watched == 10);
  BOOST_TEST(grants.of_next(6) == 1);  // another place
  grants.lived(5);
  for (int i = 0; i < 80; ++i) BOOST_TEST(grants.of_next(5) == 1);
}

BOOST_AUTO_TEST_CASE(types_that_are_read_at_their_first_pack_pass_none) {
  FirstGrants grants;
  grants.read_first_packs(5, true);
  BOOST_TEST(grants.of_next(5) == 0);
  grants.lived(5);
  BOOST_TEST(grants.of_next(5) == 0);
  grants.read_first_packs(5, false);
  BOOST_TEST(grants.of_next(5) == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace marshal
