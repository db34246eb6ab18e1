#include "host/type_lives.h"

#include <boost/test/unit_test.hpp>

using marshal::TypeLives;

BOOST_AUTO_TEST_SUITE(type_lives)

BOOST_AUTO_TEST_CASE(types_that_are_freed_early_are_waited_for) {
  TypeLives lives;
  for (int i = 0; i < 100; ++i) {
    BOOST_TEST(lives.patience() == TypeLives::patient);
    lives.lived(i % 4 == 0 ? 1.5 : 20);
  }
}

BOOST_AUTO_TEST_CASE(types_that_go_on_are_soon_read_but_one_in_so_many) {
  TypeLives lives;
  int patient = 0;
  for (int i = 0; i < 174; ++i) {
    if (lives.patience() == TypeLives::soon) continue;
    ++patient;
    lives.lived(20);
  }
  BOOST_TEST(patient == 4 + (174 - 4) / 17);
}

BOOST_AUTO_TEST_CASE(trust_ends_with_the_first_that_does_not_go_on) {
  TypeLives lives;
  for (int i = 0; i < 4; ++i) lives.lived(20);
  for (int i = 0; i < 16; ++i) BOOST_TEST(lives.patience() == TypeLives::soon);
  for (int i = 0; i < 50; ++i) {
    BOOST_TEST(lives.patience() == TypeLives::patient);
    lives.lived(1.5);
  }
}

BOOST_AUTO_TEST_SUITE_END()
