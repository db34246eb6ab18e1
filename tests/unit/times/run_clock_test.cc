#include <boost/test/unit_test.hpp>

#include "times/tick_clock.h"

namespace marshal {

// One clock a process: all in one case, in the order of a run.
BOOST_AUTO_TEST_CASE(a_run_is_timed_from_its_beginning_without_pauses) {
  BOOST_TEST(!is_timing());
  run_clock::go_on();  // before the beginning: nothing
  run_clock::pause();
  BOOST_TEST(!run_clock::has_begun());
  BOOST_TEST(run_clock::running() == 0u);

  const Moment begun = moment_now();
  run_clock::begin(begun, true);
  BOOST_TEST(!is_timing());
  BOOST_TEST(run_clock::running() == 0u);
  run_clock::go_on();
  BOOST_TEST(is_timing());
  const Ticks stood = run_clock::paused();
  BOOST_TEST(stood > 0u);
  run_clock::go_on();  // a second time: nothing
  BOOST_TEST(run_clock::paused() == stood);

  run_clock::pause();
  const Ticks ran = run_clock::running();
  run_clock::pause();
  BOOST_TEST(run_clock::running() == ran);
  run_clock::begin(moment_now(), false);  // only the first counts
  BOOST_TEST(!is_timing());
  run_clock::go_on();
  run_clock::end();
  BOOST_TEST(!is_timing());

  const Ticks all = run_clock::running() + run_clock::paused();
  BOOST_TEST(all <= ticks_between(begun.ticks, ticks_now()));
  run_clock::go_on();  // behind the end: nothing
  BOOST_TEST(!is_timing());
  BOOST_TEST(run_clock::running() + run_clock::paused() == all);
  BOOST_TEST(run_clock::rate() > 0);
}

}  // namespace marshal
