#include "times/sampling.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "tests/unit/property_seed.h"

namespace marshal {
namespace {

constexpr Ticks reading = 20, between_calls = 30;

// A thread that makes calls, and what its samples say of them.
class Thread {
 public:
  struct Sums {
    double calls = 0, ticks = 0, samples = 0, true_ticks = 0, true_calls = 0;
    double error() const { return std::abs(ticks - true_ticks) / true_ticks; }
  };

  void call(Ticks takes, int place = 0, std::int64_t elements = 1, Ticks outside = between_calls) {
    now_ += outside + takes;
    sums.true_calls += 1, sums.true_ticks += static_cast<double>(takes);
    Sampling::Alike& alike = sampling.alike(reinterpret_cast<const void*>(0x401000 + 0x24 * place), 7, elements);
    if (alike.before != 0) {
      --alike.before;
      return;
    }
    const std::uint32_t weight = sampling.timed(alike, takes, now_, reading);
    sums.samples += 1, sums.calls += weight, sums.ticks += static_cast<double>(weight * takes);
  }

  Sampling sampling;
  Sums sums;

 private:
  Ticks now_ = 1000;
};

constexpr Ticks us = 2000;  // ticks

}  // namespace

BOOST_AUTO_TEST_CASE(few_calls_are_exact) {
  for (const Ticks first : {Ticks{10}, 5'000 * us}) {
    Thread thread;
    thread.call(first);
    for (int i = 1; i < 60; ++i) thread.call(i % 3 == 0 ? 20'000 * us : 15);
    BOOST_TEST(thread.sums.ticks == thread.sums.true_ticks);
    BOOST_TEST(thread.sums.calls == thread.sums.true_calls);
  }
}

BOOST_AUTO_TEST_CASE(long_calls_of_a_new_place_are_exact_after_many_short_ones) {
  Thread thread;
  for (int i = 0; i < 10'000; ++i) thread.call(40);
  thread.sums = {};
  for (int i = 0; i < 20; ++i) thread.call(20'000 * us, 1);
  BOOST_TEST(thread.sums.ticks == thread.sums.true_ticks);
}

BOOST_AUTO_TEST_CASE(calls_that_move_much_are_exact_after_many_at_their_place_that_move_little) {
  Thread thread;
  for (int i = 0; i < 10'000; ++i) thread.call(40);
  thread.sums = {};
  for (int i = 0; i < 20; ++i) thread.call(20'000 * us, 0, 1 << 20);
  BOOST_TEST(thread.sums.ticks == thread.sums.true_ticks);
}

BOOST_AUTO_TEST_CASE(calls_that_take_long_on_average_are_exact) {
  Thread alternating, mixed;
  for (int i = 0; i < 19'200; ++i) alternating.call(i % 2 == 0 ? 20 : 100 * us);
  BOOST_TEST(alternating.sums.ticks == alternating.sums.true_ticks);
  for (int i = 0; i < 19'200; ++i) mixed.call(Ticks{20} << (i * 7 % 17));
  BOOST_TEST(mixed.sums.error() < 0.001);
}

BOOST_AUTO_TEST_CASE(short_calls_of_one_length_are_told_within_a_block_and_cost_one_reading_in_64) {
  Thread thread;
  for (int i = 0; i < 19'200; ++i) thread.call(30);
  BOOST_TEST(std::abs(thread.sums.calls - thread.sums.true_calls) < 64);
  BOOST_TEST(thread.sums.error() < 64.0 / 19'200);
  BOOST_TEST(thread.sums.samples < 19'200 / 64 * 1.1 + 128);
}

// As MPI_Test does that polls: nothing tells beforehand which one moves the data.
BOOST_AUTO_TEST_CASE(rare_long_calls_among_short_ones_pay_for_the_next_to_be_seen) {
  Thread thread;
  for (int message = 0; message < 50; ++message) {
    if (message == 1) thread.sums = {};  // the first one may be missed
    for (int i = 0; i < 1000; ++i) thread.call(40);
    thread.call(20'000 * us);
  }
  BOOST_TEST(thread.sums.error() < 0.001);
}

BOOST_AUTO_TEST_CASE(the_estimate_is_right_on_average_whatever_calls_take) {
  std::mt19937_64 random(property_seed());
  // Short ones of which one in 300 is longer, by chance: too rare to be paid for.
  Thread thread;
  for (int place = 0; place < 20'000; ++place) {
    const auto takes = [&] { return random() % 300 == 0 ? 1000 : random() % 2 == 0 ? 20 : 60; };
    for (int i = 500 + static_cast<int>(random() % 500); i > 0; --i) thread.call(takes(), place);
  }
  BOOST_TEST(thread.sums.error() < 0.02);
  BOOST_TEST(std::abs(thread.sums.calls - thread.sums.true_calls) < 0.02 * thread.sums.true_calls);
}

BOOST_AUTO_TEST_CASE(timing_costs_less_than_a_hundredth_of_the_calls_and_one_reading_in_64) {
  std::mt19937_64 random(property_seed());
  for (const Ticks takes : {Ticks{20}, Ticks{200}, us, 5 * us, 100 * us}) {
    Thread thread;
    for (int i = 0; i < 100'000; ++i) thread.call(1 + random() % (2 * takes));
    const double spent = thread.sums.samples * static_cast<double>(reading);
    BOOST_TEST(spent < 0.01 * thread.sums.true_ticks + static_cast<double>(reading) * (100'000 / 64.0 + 128));
    BOOST_TEST(thread.sums.error() < 0.1);
  }
}

BOOST_AUTO_TEST_CASE(calls_of_many_places_are_told_apart) {
  Thread thread;
  for (int i = 0; i < 64 * 128; ++i) thread.call(i % 64 < 32 ? 30 : 20 * us, i % 64);
  BOOST_TEST(thread.sums.error() < 0.01);
}

}  // namespace marshal
