#include <boost/test/unit_test.hpp>

#include "messages/mpich/rendezvous_sends.h"

using marshal::RendezvousSizes;

namespace {

struct Sends {
  RendezvousSizes sizes;
  RendezvousSizes::Time now{};

  void note(std::int64_t bytes, bool kept_back, int times = 1,
            std::chrono::microseconds apart = std::chrono::milliseconds(2)) {
    for (int i = 0; i < times; ++i) sizes.note(bytes, kept_back, now += apart);
  }
  bool knows(std::int64_t bytes) const { return bytes >= sizes.from(); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(rendezvous_sizes)

BOOST_AUTO_TEST_CASE(nothing_is_known_at_first) { BOOST_TEST(!Sends().knows(1L << 40)); }

BOOST_AUTO_TEST_CASE(four_that_are_kept_back_some_time_apart_are_enough) {
  Sends s;
  s.note(50000, true, 3);
  BOOST_TEST(!s.knows(50000));
  s.note(50000, true);
  BOOST_TEST(s.knows(50000));
  BOOST_TEST(s.knows(50001));
  BOOST_TEST(!s.knows(49999));
}

BOOST_AUTO_TEST_CASE(a_burst_counts_once) {
  Sends s;
  s.note(50000, true, 500, std::chrono::microseconds(1));
  BOOST_TEST(!s.knows(50000));
}

BOOST_AUTO_TEST_CASE(of_several_sizes_the_largest_is_known_and_then_the_next) {
  Sends s;
  for (int i = 0; i < 2; ++i) s.note(40000, true), s.note(1000000, true);
  BOOST_TEST(s.knows(1000000));
  BOOST_TEST(!s.knows(40000));
  s.note(40000, true, 4);
  BOOST_TEST(s.knows(40000));
}

BOOST_AUTO_TEST_CASE(what_has_gone_at_once_is_not_kept_back_when_a_socket_is_full) {
  Sends s;
  s.note(50000, false);
  s.note(50000, true, 100);
  s.note(40000, true, 100);
  BOOST_TEST(!s.knows(50000));
  s.note(50001, true, 4);
  BOOST_TEST(s.knows(50001));
}

BOOST_AUTO_TEST_CASE(one_that_goes_at_once_takes_back_what_was_learned) {
  Sends s;
  s.note(50000, true, 4);
  s.note(60000, false);
  BOOST_TEST(!s.knows(60000));
  BOOST_TEST(!s.knows(1L << 40));
  s.note(60000, true, 100);
  BOOST_TEST(!s.knows(60000));
  s.note(70000, true, 4);
  BOOST_TEST(s.knows(70000));
}

BOOST_AUTO_TEST_SUITE_END()
