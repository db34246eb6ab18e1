#include "mapping/prediction.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "instances.h"

using namespace marshal::mapping;

namespace {
Metrics metrics_of(const Problem& problem) {
  return measure(problem.grid, problem.stencil, problem.given, problem.nodes());
}
}  // namespace

BOOST_AUTO_TEST_CASE(the_slower_of_network_and_processes_decides) {
  const Metrics rows = metrics_of(blocked_problem({4, 8}, {8}));  // nodes of one row: 16 pairs leave an inner one
  BOOST_TEST(rows.most_partners == 4);
  Machine machine;
  machine.latency = 1e-6;
  machine.bytes_per_weight = 1000;
  machine.node_rate = 1e6;
  machine.process_rate = 1e9;
  BOOST_TEST(predict_exchange(rows, machine).seconds == 4e-6 + 16e-3, boost::test_tools::tolerance(1e-12));
  BOOST_TEST((predict_exchange(rows, machine).limit == Limit::network));
  machine.process_rate = 1e5;
  BOOST_TEST(predict_exchange(rows, machine).seconds == 4e-6 + 40e-3, boost::test_tools::tolerance(1e-12));
  BOOST_TEST((predict_exchange(rows, machine).limit == Limit::processes));
  BOOST_TEST(predict_exchange({}, machine).seconds == 0.0);
}

// No gain may be predicted to be a loss: when neighbours come to share a node, they cost as much as on two nodes of one
// process each.
BOOST_AUTO_TEST_CASE(the_prediction_never_rises_unless_jmax_does) {
  std::mt19937 random(77);
  for (int round = 0; round < 300; ++round) {
    Problem problem = blocked_problem({1 + static_cast<int>(random() % 7), 1 + static_cast<int>(random() % 7)}, {3, 5},
                                      random() % 2 == 0, {1, 1 + static_cast<std::int64_t>(random() % 5)});
    const Metrics before = metrics_of(problem);
    std::shuffle(problem.given.begin(), problem.given.end(), random);
    const Metrics after = metrics_of(problem);
    BOOST_REQUIRE(after.most_partners == before.most_partners);
    BOOST_REQUIRE(after.most_weight == before.most_weight);
    const double change = predict_exchange(after, {}).seconds - predict_exchange(before, {}).seconds;
    if (after.jmax <= before.jmax) BOOST_REQUIRE(change <= 0);
    if (after.jmax >= before.jmax) BOOST_REQUIRE(change >= 0);
  }
}

// 4x4 on nodes of four: rows become squares, Jmax is halved, and a user who sees that expects a gain.
BOOST_AUTO_TEST_CASE(on_the_machine_assumed_small_nodes_that_send_half_as_much_gain) {
  Problem problem = blocked_problem({4, 4}, {4});
  const Metrics rows = metrics_of(problem);
  problem.given = {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3};
  const Metrics squares = metrics_of(problem);
  BOOST_TEST(rows.jmax == 8);
  BOOST_TEST(squares.jmax == 4);
  BOOST_TEST(predict_exchange(squares, {}).seconds < 0.75 * predict_exchange(rows, {}).seconds);
  BOOST_TEST((predict_exchange(rows, {}).limit == Limit::network));
  BOOST_TEST((predict_exchange(squares, {}).limit == Limit::processes));
}
