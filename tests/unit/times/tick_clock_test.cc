#include "times/tick_clock.h"

#include <boost/test/unit_test.hpp>
#include <ctime>

namespace marshal {

BOOST_AUTO_TEST_CASE(ticks_follow_the_monotonic_clock) {
  const Moment begun = moment_now();
  const timespec pause{0, 50'000'000};
  nanosleep(&pause, nullptr);
  const Moment middle = moment_now();
  nanosleep(&pause, nullptr);
  const Moment ended = moment_now();
  const double ns = ns_a_tick(begun, ended) * static_cast<double>(ticks_between(begun.ticks, middle.ticks));
  BOOST_TEST(ns == static_cast<double>(middle.ns - begun.ns), boost::test_tools::tolerance(0.001));
}

BOOST_AUTO_TEST_CASE(no_time_is_below_zero) {
  BOOST_TEST(ticks_between(7, 12) == 5u);
  BOOST_TEST(ticks_between(12, 7) == 0u);
  BOOST_TEST(ticks_between(~Ticks{0}, 3) == 4u);  // the counter began anew
}

BOOST_AUTO_TEST_CASE(moments_of_no_distance_have_a_rate) {
  const Moment now{5, 5};
  BOOST_TEST(ns_a_tick(now, now) == 1);
}

BOOST_AUTO_TEST_CASE(a_reading_takes_less_than_many_readings) {
  const Ticks least = least_reading(), before = ticks_now();
  for (int i = 0; i < 1000; ++i) ticks_now();
  BOOST_TEST(least < ticks_between(before, ticks_now()));
}

}  // namespace marshal
