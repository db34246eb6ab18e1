#include "exchange/choice.h"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>

#include "tests/unit/property_seed.h"

using namespace marshal::exchange;
using marshal::property_seed;

namespace {

// The time of a call of so many bytes, in ns.
struct Machine {
  std::function<double(std::int64_t)> by_host, by_nodes;
};
// Measured with four emulated nodes of four: by nodes small blocks are twice as fast, and long ones a half slower.
const Machine emulated{[](std::int64_t bytes) { return 900e3 + 20.0 * static_cast<double>(bytes); },
                       [](std::int64_t bytes) { return 400e3 + 60.0 * static_cast<double>(bytes); }};
const Machine never_faster{[](std::int64_t) { return 300e3; }, [](std::int64_t) { return 900e3; }};

struct Run {
  double seconds_of_host = 0, seconds = 0;
  int by_nodes = 0;
  double gain() const { return seconds_of_host / seconds; }
};

// Four processes that measure with noise, and calls whose bytes `bytes_of` gives.
Run run_calls(const Machine& machine, int calls, const std::function<std::int64_t(int)>& bytes_of, double noise,
              std::mt19937& bits) {
  constexpr std::size_t processes = 4;
  std::array<Choice, processes> all;
  std::normal_distribution<double> normal(1, noise);
  Run run;
  // The host alone makes the calls before the trial (exchange.cc).
  for (int call = 0; call < 512; ++call) {
    run.seconds_of_host += machine.by_host(bytes_of(call)) * 1e-9;
    run.seconds += machine.by_host(bytes_of(call)) * 1e-9;
  }
  for (int call = 512; call < calls; ++call) {
    const std::int64_t bytes = bytes_of(call);
    std::int64_t votes = 0;
    bool by_nodes = false;
    for (Choice& one : all) {
      const bool goes = one.next_goes_by_nodes();
      BOOST_REQUIRE((&one == all.data() || goes == by_nodes));
      by_nodes = goes;
      votes += one.vote();
    }
    const double ns = by_nodes ? machine.by_nodes(bytes) : machine.by_host(bytes);
    run.seconds_of_host += machine.by_host(bytes) * 1e-9;
    run.seconds += ns * 1e-9;
    run.by_nodes += by_nodes ? 1 : 0;
    const double common = std::max(0.3, normal(bits));
    for (Choice& one : all) {
      if (by_nodes) one.decide(votes);
      if (one.is_noted()) one.note(bytes, static_cast<std::int64_t>(ns * common * std::max(0.3, normal(bits))));
    }
  }
  return run;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(choice_test)

BOOST_AUTO_TEST_CASE(small_blocks_go_by_nodes_soon) {
  std::mt19937 bits(property_seed());
  for (const double noise : {0.0, 0.1, 0.3}) {
    const Run run = run_calls(
        emulated, 4000, [](int) { return 1024; }, noise, bits);
    BOOST_TEST(run.by_nodes > 3000);
    BOOST_TEST(run.gain() > 1.6);
  }
}

BOOST_AUTO_TEST_CASE(what_the_host_does_faster_stays_with_it) {
  std::mt19937 bits(property_seed());
  for (const int calls : {600, 1000, 4000, 50000})
    for (const double noise : {0.0, 0.2}) {
      const Run run = run_calls(
          never_faster, calls, [](int) { return 64; }, noise, bits);
      BOOST_TEST(run.gain() > 0.95 + (calls > 1000 ? 0.02 : 0));
      BOOST_TEST(run.by_nodes < 36 + calls / 400);
    }
}

BOOST_AUTO_TEST_CASE(sizes_that_alternate_grow_and_fall_never_lose) {
  std::mt19937 bits(property_seed());
  const std::function<std::int64_t(int)> sizes[] = {
      [](int call) { return call % 2 == 0 ? 512 : 32768; },
      [](int call) { return call % 8 == 0 ? 512 : 65536; },
      [](int call) { return call < 4000 ? 512 : 65536; },
      [](int call) { return call < 4000 ? 65536 : 512; },
      [](int call) { return std::int64_t{256} << (call / 500 % 10); },
      [](int call) { return std::int64_t{131072} >> (call / 500 % 10); },
      [](int call) { return call / 300 % 2 == 0 ? 512 : 65536; },
  };
  for (const auto& bytes_of : sizes)
    for (const double noise : {0.0, 0.1, 0.2}) {
      const Run run = run_calls(emulated, 8000, bytes_of, noise, bits);
      BOOST_TEST(run.gain() > 0.97);
    }
}

BOOST_AUTO_TEST_CASE(a_choice_is_never_final) {
  std::mt19937 bits(property_seed());
  int call_now = 0;
  const Machine turns{[](std::int64_t) { return 500e3; },
                      [&](std::int64_t) { return call_now < 6000 ? 900e3 : 250e3; }};
  const Run run = run_calls(
      turns, 40000, [&](int call) { return call_now = call, 256; }, 0.1, bits);
  BOOST_TEST(run.gain() > 1.4);
}

BOOST_AUTO_TEST_SUITE_END()
