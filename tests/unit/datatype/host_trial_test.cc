#include "datatype/host_trial.h"

#include <boost/test/unit_test.hpp>

using marshal::datatype::HostTrial;

namespace {

struct Sides {
  int by_host = 0, timed = 0;
};

// Calls of so many bytes that take so long; the clock is slow at every seventh.
Sides play(HostTrial& trial, std::int64_t bytes, int calls, std::int64_t engine_ns, std::int64_t host_ns) {
  Sides sides;
  for (int i = 0; i < calls; ++i) {
    const HostTrial::Turn turn = trial.turn(bytes);
    sides.by_host += turn.by_host;
    sides.timed += turn.timed;
    if (turn.timed) trial.took(bytes, turn.by_host, (turn.by_host ? host_ns : engine_ns) * (i % 7 == 6 ? 9 : 1));
  }
  return sides;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(host_trial)

BOOST_AUTO_TEST_CASE(the_faster_side_gets_all_calls_after_the_trial) {
  HostTrial trial;
  play(trial, 4096, 32, 1000, 900);
  BOOST_TEST(play(trial, 4096, 100, 1000, 900).by_host == 100);
  play(trial, 65536, 16, 1000, 1100);
  BOOST_TEST(play(trial, 65536, 100, 1000, 1100).by_host == 0);
}

BOOST_AUTO_TEST_CASE(a_trial_ends) {
  for (const std::int64_t host_ns : {1, 99, 100, 101, 100000}) {
    HostTrial trial;
    play(trial, 1 << 20, 32, 100, host_ns);
    BOOST_TEST(play(trial, 1 << 20, 1000, 100, host_ns).timed == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_much_slower_host_is_asked_twice) {
  HostTrial trial;
  BOOST_TEST(play(trial, 1024, 1000, 10, 600).by_host == 2);
}

BOOST_AUTO_TEST_CASE(a_host_that_was_faster_but_once_gets_none) {
  HostTrial trial;
  play(trial, 4096, 16, 1000, 900);
  play(trial, 4096, 16, 800, 900);
  BOOST_TEST(play(trial, 4096, 100, 800, 900).by_host == 0);
}

BOOST_AUTO_TEST_CASE(a_host_faster_by_less_than_asking_it_costs_gets_none) {
  HostTrial trial;
  play(trial, 256, 16, 30, 18);
  BOOST_TEST(play(trial, 256, 100, 30, 18).by_host == 0);
}

BOOST_AUTO_TEST_CASE(small_packs_are_never_tried) {
  HostTrial trial;
  const Sides sides = play(trial, HostTrial::least_bytes - 1, 100, 100, 1);
  BOOST_TEST(sides.by_host == 0);
  BOOST_TEST(sides.timed == 0);
}

BOOST_AUTO_TEST_CASE(sizes_are_tried_apart) {
  HostTrial trial;
  play(trial, 512, 16, 10, 20);
  play(trial, std::int64_t{1} << 40, 32, 200, 100);
  BOOST_TEST(!trial.turn(513).by_host);
  BOOST_TEST(trial.turn(std::int64_t{1} << 30).by_host);
  BOOST_TEST(trial.turn(4096).timed);
}

BOOST_AUTO_TEST_SUITE_END()
