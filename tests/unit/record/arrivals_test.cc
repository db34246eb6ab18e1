#include "record/arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "record/record.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/repeats.h"

using namespace marshal::report;

namespace {

// A job whose processes enter collective calls at times that are known, and read clocks that are not.
struct MadeRun {
  struct Node {
    double offset_ns, drift, ticks_a_ns;
  };
  std::vector<Node> nodes;
  std::vector<std::uint32_t> node_of;
  std::vector<ArrivalSample> samples;
  Record record;
  double waited = 0, in_calls = 0;

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(node_of.size()); }

  ArrivalSample sample(std::uint64_t call, std::uint32_t rank, double entered, double left) const {
    const Node& node = nodes[node_of[rank]];
    const auto ticks = [&](double ns) {
      return static_cast<std::uint64_t>(std::llround((ns * (1 + node.drift) + node.offset_ns) * node.ticks_a_ns));
    };
    ArrivalSample one{.call = call, .entered = ticks(entered), .left = ticks(left)};
    one.ns_a_tick = 1 / node.ticks_a_ns;
    one.rank = rank, one.node = node_of[rank], one.processes = ranks();
    return one;
  }
  static PlaceKey place(std::uint64_t number) { return {{"MPI_Allreduce", {{"/opt/app", number}}}, {}}; }

  // All leave at once, `moving` after the last has entered.
  void add_call(std::uint64_t call, std::uint64_t at, const std::vector<double>& entered, double moving) {
    const double last = *std::ranges::max_element(entered);
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      ArrivalSample one = sample(call, rank, entered[rank], last + moving);
      if (call >= ArrivalSample::first_call) {
        one.place = hash_of(place(at));
        const double in_call = last + moving - entered[rank];
        PlaceTime& row = record.times.places[place(at)];
        ++row.calls;
        row.time_ns.add(static_cast<std::uint64_t>(in_call), rank);
        waited += last - entered[rank], in_calls += in_call;
      }
      samples.push_back(one);
    }
  }
  const Arrivals& judged(std::uint64_t at) {
    record.job.ranks = ranks();
    record.arrivals = ArrivalSamples(samples);
    judge_arrivals(record);
    return record.times.places.find(place(at))->arrivals;
  }
};

constexpr double ms = 1e6, us = 1e3;
constexpr std::uint64_t first = ArrivalSample::first_call;

MadeRun on_one_node(std::uint32_t ranks) {
  MadeRun job;
  job.nodes = {{0, 0, 2.1}};
  job.node_of.assign(ranks, 0);
  return job;
}

}  // namespace

BOOST_AUTO_TEST_CASE(on_one_node_waiting_is_known_to_the_tick) {
  MadeRun job = on_one_node(3);
  for (std::uint64_t call = 0; call < 10; ++call) {
    const double at = 1000 * ms + static_cast<double>(call) * 100 * ms;
    job.add_call(first + call, 1, {at, at + 55 * ms, at + 5 * ms}, 1 * ms);
  }
  const Arrivals& found = job.judged(1);
  BOOST_TEST(found.samples == 10u);
  BOOST_TEST(found.last_rank == 1u);
  BOOST_TEST(found.last_samples == 10u);
  BOOST_TEST(std::abs(static_cast<double>(found.waiting_ns) - 10 * 105 * ms) < 1 * us);
  BOOST_TEST(std::abs(static_cast<double>(found.moving_ns) - 10 * 3 * ms) < 1 * us);
  BOOST_TEST(std::abs(static_cast<double>(found.late_ns) - 52.5 * ms) < 1 * us);
  BOOST_TEST(job.record.times.waiting.size() == 3u);
  BOOST_TEST(job.record.times.waiting[1].sum < 1 * us);
}

BOOST_AUTO_TEST_CASE(a_call_that_was_not_timed_everywhere_or_did_not_end_together_says_nothing) {
  MadeRun job = on_one_node(2);
  job.add_call(first, 1, {1000, 2000}, 10);
  job.samples.pop_back();
  job.add_call(first + 1, 1, {1000, 2000}, 10);
  job.samples.back().entered = 0;
  job.add_call(first + 2, 1, {1000, 2000}, 10);
  job.samples[job.samples.size() - 2].left = job.samples.back().entered - 1;
  BOOST_TEST(job.judged(1).samples == 0u);
  job.add_call(first + 3, 1, {1000, 2000}, 10);
  BOOST_TEST(job.judged(1).samples == 1u);
}

BOOST_AUTO_TEST_CASE(samples_that_are_not_like_the_calls_of_their_place_say_no_times) {
  const auto known = [](std::uint64_t sampled, const auto& change) {
    MadeRun job = on_one_node(2);
    for (std::uint64_t call = 0; call < sampled; ++call) {
      const double at = (1000 + static_cast<double>(call)) * ms;
      job.add_call(first + call, 1, {at, at + 9 * us}, 1 * us);
    }
    change(job.record.times.places[MadeRun::place(1)]);
    return job.judged(1).are_times_known();
  };
  const auto more_like_them = [](PlaceTime& row) {
    const std::uint64_t sum = row.time_ns.of.sum;
    row.calls *= 100;
    row.time_ns.of.sum = 100 * sum;
  };
  BOOST_TEST(known(7, [](PlaceTime&) {}));
  BOOST_TEST(!known(7, more_like_them));
  BOOST_TEST(known(8, more_like_them));
  // The call of a second is none of them.
  BOOST_TEST(!known(60, [](PlaceTime& row) { row.calls += 2, row.time_ns.add(1000 * 1'000'000, 0); }));
  // Another thread has some of them.
  BOOST_TEST(!known(60, [](PlaceTime& row) { row.other_threads_ns = 1; }));
}

// Clocks are apart by up to a second, and drift by up to 50 ppm. The times that are said are right.
BOOST_AUTO_TEST_CASE(clocks_that_are_apart_and_drift_give_right_times_or_none) {
  std::mt19937_64 random(marshal::property_seed());
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  const int rounds = static_cast<int>(marshal::repeats(400));
  int said = 0, sayable = 0;
  for (int round = 0; round < rounds; ++round) {
    MadeRun job;
    for (int i = 0; i < 3; ++i) job.nodes.push_back({uniform(2e9, 3e9), uniform(-50e-6, 50e-6), uniform(0.1, 4)});
    for (std::uint32_t rank = 0; rank < 8; ++rank) job.node_of.push_back(rank * 3 / 8);
    const auto late = static_cast<std::uint32_t>(random() % 8);
    const double step = uniform(5, 200) * ms, more = std::vector{0.01, 0.1, 0.5}[random() % 3] * step;
    const double latency = uniform(2, 50) * us, pause = random() % 2 == 0 ? 0 : uniform(0, 600e9);
    const auto entries = [&](double at) {
      std::vector<double> entered;
      for (int rank = 0; rank < 8; ++rank) entered.push_back(at + uniform(0, latency));
      return entered;
    };
    double now = 1000 * ms;
    job.add_call(ArrivalSample::first_meeting, 0, entries(now), latency);
    for (std::uint64_t call = 0; call < 60; ++call) {
      now += call == 30 ? pause : 0;
      // One of four collective calls of a step is late.
      std::vector<double> entered = entries(now + step);
      if (call % 4 == 2) entered[late] += more;
      job.add_call(first + call, call % 4, entered, uniform(0.5, 1) * latency);
      now = *std::ranges::max_element(entered) + latency;
    }
    // Calls within a node need no other clock, and tell nothing of it.
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
      const std::uint32_t node = job.node_of[rank];
      job.samples.push_back(job.sample(first + 100 + node, rank, now, now + latency));
      job.samples.back().processes = static_cast<std::uint32_t>(std::ranges::count(job.node_of, node));
    }
    std::shuffle(job.samples.begin(), job.samples.end(), random);
    const Arrivals& found = job.judged(2);
    double waited = 0, in_calls = 0;
    for (std::uint64_t call = 2; call < 60; call += 4) {
      double last = 0;
      std::vector<double> entered;
      for (const ArrivalSample& one : job.samples)
        if (one.call == first + call) {
          const MadeRun::Node& node = job.nodes[one.node];
          const auto ns = [&](std::uint64_t ticks) {
            return (static_cast<double>(ticks) / node.ticks_a_ns - node.offset_ns) / (1 + node.drift);
          };
          entered.push_back(ns(one.entered));
          last = std::max(last, entered.back());
          in_calls += ns(one.left) - ns(one.entered);
        }
      for (const double at : entered) waited += last - at;
    }
    const std::string told = fmt::format("round {}: more {} latency {} pause {}", round, more, latency, pause);
    if (found.last_samples != 0 && more > 2 * latency) BOOST_TEST(found.last_rank == late, told);
    sayable += more > 20 * latency;
    if (!found.are_times_known()) continue;
    said += more > 20 * latency;
    const double off = std::abs(static_cast<double>(found.waiting_ns) - waited);
    BOOST_TEST(off <= std::max(0.051 * waited, 0.011 * in_calls), fmt::format("{}: {} for {}", told, off, waited));
  }
  BOOST_TEST(2 * said > sayable, fmt::format("{} of {} are said", said, sayable));
}

BOOST_AUTO_TEST_CASE(any_order_of_merges_keeps_the_same_samples_and_whole_calls) {
  std::mt19937_64 random(marshal::property_seed());
  constexpr std::uint32_t ranks = 8;
  std::vector<ArrivalSamples> parts;
  std::vector<std::uint64_t> calls(ArrivalSamples::most / ranks * 3 / 2);
  for (std::uint64_t& call : calls) call = random();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::vector<ArrivalSample> own;
    for (const std::uint64_t call : calls) own.push_back({.call = call, .rank = rank});
    parts.emplace_back(std::move(own));
  }
  ArrivalSamples in_a_row, backwards;
  for (const ArrivalSamples& part : parts) in_a_row.merge(part);
  std::shuffle(parts.begin(), parts.end(), random);
  while (parts.size() > 1) {
    const auto into = random() % (parts.size() - 1);
    parts[into].merge(parts.back());
    parts.pop_back();
  }
  BOOST_TEST((parts.front() == in_a_row));
  BOOST_TEST(in_a_row.all().size() <= ArrivalSamples::most);
  BOOST_TEST(in_a_row.all().size() > ArrivalSamples::most - ranks);
  BOOST_TEST(in_a_row.all().size() % ranks == 0u);
}

BOOST_AUTO_TEST_CASE(samples_survive_as_bytes_and_broken_bytes_are_none) {
  const ArrivalSamples samples({{.call = 7, .place = 3}, {.call = 9, .rank = 2}}, 1000);
  std::vector<std::uint8_t> bytes{1, 2, 3};
  samples.append_to(bytes);
  std::span<const std::uint8_t> rest(bytes);
  BOOST_TEST((ArrivalSamples::taken_from(rest) == samples));
  BOOST_TEST(rest.size() == 3u);
  BOOST_TEST(ArrivalSamples::taken_from(rest).all().empty());
  rest = std::span(bytes).subspan(4);
  BOOST_TEST(ArrivalSamples::taken_from(rest).all().empty());
}
