#include "rankmap/collective_detection.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "pattern/detect.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal;

namespace {

struct Outcome {
  std::optional<StridedBlocks> pattern;
  int reductions = 0;
};

// All processes of a communicator in one loop, with the reduction done by hand.
Outcome simulate(const std::vector<std::int32_t>& lpids) {
  const auto size = static_cast<std::int32_t>(lpids.size());
  std::vector<CollectiveDetection> processes;
  for (std::int32_t r = 0; r < size; ++r) processes.emplace_back(size, r, lpids[static_cast<std::size_t>(r)]);
  Outcome outcome;
  while (!processes.front().done()) {
    CollectiveDetection::Round least = processes.front().contribution();
    for (const CollectiveDetection& process : processes) {
      const auto mine = process.contribution();
      for (std::size_t k = 0; k < mine.size(); ++k) {
        if (mine[k].rank < least[k].rank) least[k] = mine[k];
      }
    }
    for (CollectiveDetection& process : processes) process.learn(least);
    ++outcome.reductions;
  }
  outcome.pattern = processes.front().result();
  for (const CollectiveDetection& process : processes) {
    BOOST_REQUIRE(process.done());
    BOOST_REQUIRE((process.result() == outcome.pattern));
  }
  return outcome;
}

std::vector<std::int32_t> values_of(const StridedBlocks& pattern) {
  std::vector<std::int32_t> values;
  for (std::int32_t r = 0; r < pattern.size(); ++r) values.push_back(pattern(r));
  return values;
}

}  // namespace

BOOST_AUTO_TEST_CASE(regular_maps_take_at_most_four_reductions) {
  BOOST_TEST(simulate(values_of(StridedBlocks::linear(0, 1, 100))).reductions == 1);
  BOOST_TEST(simulate(values_of(StridedBlocks::linear(5, 1, 100))).reductions == 2);
  BOOST_TEST(simulate(values_of(StridedBlocks::linear(500, -3, 100))).reductions == 2);
  const StridedBlocks::Digit plane[] = {{4, 1}, {5, 10}};
  BOOST_TEST(simulate(values_of(*StridedBlocks::from_digits(3, plane, 20))).reductions == 3);
  const StridedBlocks::Digit cube[] = {{2, 1}, {3, 5}, {4, 30}};
  BOOST_TEST(simulate(values_of(*StridedBlocks::from_digits(3, cube, 24))).reductions == 4);
  BOOST_TEST(simulate({7}).reductions == 1);
}

BOOST_AUTO_TEST_CASE(all_processes_agree_with_the_detection_that_sees_everything) {
  UniformDraw draw(property_seed());
  for (int trial = 0; trial < 1500; ++trial) {
    std::vector<StridedBlocks::Digit> digits;
    for (int k = draw(1, 4); k > 0; --k) digits.push_back({draw(1, 6), draw(-50, 50)});
    const auto made = StridedBlocks::from_digits(1000, digits, draw(1, 200));
    if (!made) continue;
    auto lpids = values_of(*made);
    if (draw(0, 2) == 0) lpids[static_cast<std::size_t>(draw(0, made->size() - 1))] += draw(-1, 1);
    BOOST_REQUIRE((simulate(lpids).pattern == detect(lpids)));
  }
}
