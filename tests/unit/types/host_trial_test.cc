#include "types/host_trial.h"

#include <boost/test/unit_test.hpp>
#include <thread>
#include <vector>

using marshal::HostTrial;
using Side = HostTrial::Side;

namespace {

struct Sides {
  int by_host = 0, timed = 0;
};

// Makes `calls` calls of `bytes` bytes, the first with number `first`. A call takes `engine_ns` or `host_ns`. The clock
// is slow at every seventh call.
Sides play(HostTrial& trial, std::int64_t bytes, std::uint64_t calls, std::int64_t engine_ns, std::int64_t host_ns,
           std::uint64_t first = 0) {
  Sides sides;
  for (std::uint64_t i = 0; i < calls; ++i) {
    const HostTrial::Turn turn = trial.turn(bytes, first + i);
    sides.by_host += turn.by_host;
    sides.timed += turn.timed;
    const std::int64_t ns = (turn.by_host ? host_ns : engine_ns) * (i % 7 == 6 ? 9 : 1);
    if (turn.timed) trial.took(bytes, turn.by_host, ns, first + i);
  }
  return sides;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(host_trial)

BOOST_AUTO_TEST_CASE(the_faster_side_gets_all_calls_after_the_trial) {
  HostTrial trial;
  play(trial, 4096, 64, 1000, 900);
  BOOST_TEST(play(trial, 4096, 100, 1000, 900).by_host == 100);
  BOOST_TEST((trial.side(4096) == Side::host));
  play(trial, 65536, 64, 1000, 1100);
  BOOST_TEST(play(trial, 65536, 100, 1000, 1100).by_host == 0);
  BOOST_TEST((trial.side(65536) == Side::engine));
}

BOOST_AUTO_TEST_CASE(a_trial_ends) {
  for (const std::int64_t host_ns : {1, 99, 100, 101, 100000}) {
    HostTrial trial;
    play(trial, 1 << 20, 64, 100, host_ns);
    BOOST_TEST(play(trial, 1 << 20, 1000, 100, host_ns).timed == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_much_slower_host_is_asked_three_times) {
  HostTrial trial;
  BOOST_TEST(play(trial, 1024, 1000, 10, 600).by_host == 3);
}

BOOST_AUTO_TEST_CASE(the_side_that_is_faster_most_times_wins_though_the_other_is_quickest_at_its_best) {
  HostTrial trial;
  std::uint32_t noise = 1;
  for (int i = 0; i < 64; ++i) {
    noise = noise * 1664525 + 1013904223;
    const bool at_its_best = noise >> 29 == 0;  // one of eight
    const HostTrial::Turn turn = trial.turn(512, 0);
    if (turn.timed) trial.took(512, turn.by_host, turn.by_host ? 260 : at_its_best ? 180 : 320, 0);
  }
  BOOST_TEST((trial.side(512) == Side::host));
}

BOOST_AUTO_TEST_CASE(a_program_whose_later_calls_are_others_gets_the_side_that_is_faster_then) {
  HostTrial trial;
  play(trial, 4096, 1000, 1000, 500);
  BOOST_TEST((trial.side(4096) == Side::host));
  play(trial, 4096, 2000, 100, 500, 1000);
  BOOST_TEST((trial.side(4096) == Side::engine));
  play(trial, 4096, 10000, 1000, 500, 3000);
  BOOST_TEST((trial.side(4096) == Side::host));
}

BOOST_AUTO_TEST_CASE(trials_that_say_the_same_again_are_rare) {
  for (const std::int64_t host_ns : {90, 120, 1000, 10000}) {
    HostTrial trial;
    const Sides sides = play(trial, 4096, 1000000, 100, host_ns);
    BOOST_TEST(sides.timed < 600);
    BOOST_TEST((sides.by_host > 900000 || sides.by_host * host_ns < 1000000));  // a hundredth of the engine's time
  }
}

BOOST_AUTO_TEST_CASE(two_slow_calls_do_not_decide_a_trial) {
  HostTrial trial;
  for (int i = 0; i < 64; ++i) {
    const HostTrial::Turn turn = trial.turn(4096, 0);
    const bool first_two_of_the_engine = i == 0 || i == 3;
    if (turn.timed) trial.took(4096, turn.by_host, turn.by_host ? 900 : first_two_of_the_engine ? 50000 : 800, 0);
  }
  BOOST_TEST((trial.side(4096) == Side::engine));
}

BOOST_AUTO_TEST_CASE(a_host_faster_by_less_than_passing_on_costs_gets_none) {
  HostTrial trial;
  play(trial, 256, 64, 30, 23);
  BOOST_TEST(play(trial, 256, 100, 30, 23).by_host == 0);
}

BOOST_AUTO_TEST_CASE(threads_that_play_at_once_end_a_trial) {
  HostTrial trial;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { play(trial, 4096, 10000, 100, 300); });
  for (std::thread& t : threads) t.join();
  BOOST_TEST((trial.side(4096) == Side::engine));
}

BOOST_AUTO_TEST_CASE(small_packs_are_never_tried) {
  HostTrial trial;
  const Sides sides = play(trial, HostTrial::least_bytes - 1, 100, 100, 1);
  BOOST_TEST(sides.by_host == 0);
  BOOST_TEST(sides.timed == 0);
}

BOOST_AUTO_TEST_CASE(sizes_are_tried_apart) {
  HostTrial trial;
  play(trial, 512, 64, 10, 20);
  play(trial, std::int64_t{1} << 40, 64, 200, 100);
  BOOST_TEST(!trial.turn(513, 64).by_host);
  BOOST_TEST(trial.turn(std::int64_t{1} << 30, 64).by_host);
  BOOST_TEST(trial.turn(4096, 64).timed);
}

BOOST_AUTO_TEST_SUITE_END()
