#include <boost/test/unit_test.hpp>
#include <numeric>
#include <stdexcept>

#include "tools/order/places.h"
#include "tools/order/planned_order.h"

using namespace marshal;
using namespace marshal::tools;

BOOST_AUTO_TEST_CASE(ranks_fill_hosts_in_blocks_or_are_dealt_out) {
  const std::vector<Host> hosts{{"a", 3}, {"b", 1}, {"c", 4}};
  const Places block = places_on(hosts, 6, Given::block);
  BOOST_TEST(block.nodes_of(block.given) == (std::vector<std::int32_t>{0, 0, 0, 1, 2, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(block.hosts.back().places == 2);  // places without a rank are left out
  const Places cyclic = places_on(hosts, 6, Given::cyclic);
  BOOST_TEST(cyclic.nodes_of(cyclic.given) == (std::vector<std::int32_t>{0, 1, 2, 0, 2, 0}),
             boost::test_tools::per_element());
  BOOST_CHECK_THROW(places_on(hosts, 9, Given::block), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(the_nodes_of_a_run_are_as_they_were) {
  traffic::Job job;
  job.node_names = {"x", "y"};
  job.node_of_process = {1, 0, 1, 1};
  const Places places = places_of_run(job);
  BOOST_TEST(places.nodes_of(places.given) == (std::vector<std::int32_t>{1, 0, 1, 1}),
             boost::test_tools::per_element());
  BOOST_TEST((places.hosts == std::vector<Host>{{"x", 1}, {"y", 3}}));
}

BOOST_AUTO_TEST_CASE(bytes_between_nodes_are_counted_by_hand) {
  // 0 -> 1: 10, 1 -> 2: 20, 2 -> 0: 5, 3 -> 2: 7, 1 -> 1: 100; nodes {0, 1}, {2, 3}.
  traffic::Matrix matrix;
  matrix.job.node_of_process.resize(4);
  matrix.sent = {{1, 1, 10}, {1, 1, 100}, {2, 2, 20}, {0, 1, 5}, {2, 1, 7}};
  matrix.begin = {0, 1, 3, 4, 5};
  const std::vector<std::int32_t> nodes{0, 0, 1, 1};
  const NodeTraffic sums = node_traffic(matrix, nodes, 2);
  BOOST_TEST(sums.bytes == 142);
  BOOST_TEST(sums.bytes_between == 25);
  BOOST_TEST(sums.messages_between == 3);
  BOOST_TEST(sums.busiest_node == 25);
  BOOST_TEST(sums.busiest_way == 20);
  BOOST_TEST(sums.busiest_pair == 25);
  BOOST_TEST(sums.busiest_rank == 120);
  BOOST_TEST(sums.most_messages == 3);
}

BOOST_AUTO_TEST_CASE(a_grid_sends_one_message_along_every_step) {
  const int dims[] = {2, 3}, periods[] = {1, 0};
  const mapping::Grid grid = mapping::make_grid(dims, periods);
  const traffic::Matrix matrix = traffic_of_grid(grid, mapping::star_stencil(2), 8);
  // Around a dimension of 2 both steps meet the same peer.
  const std::vector<traffic::Sent> wanted{{1, 1, 8}, {3, 2, 16}};
  BOOST_TEST((std::vector<traffic::Sent>(matrix.of(0).begin(), matrix.of(0).end()) == wanted));
  const std::vector<std::int32_t> nodes{0, 0, 0, 1, 1, 1};
  BOOST_TEST(node_traffic(matrix, nodes, 2).bytes_between == 6 * 16);
}

BOOST_AUTO_TEST_CASE(the_prediction_takes_the_slower_of_network_and_ranks) {
  NodeTraffic traffic;
  traffic.busiest_way = 100;
  traffic.busiest_rank = 30;
  traffic.most_messages = 2;
  const mapping::Machine machine{.node_rate = 10, .process_rate = 10, .latency = 1};
  BOOST_TEST(predict_traffic(traffic, machine).seconds == 12);
  BOOST_TEST((predict_traffic(traffic, machine).limit == mapping::Limit::network));
  traffic.busiest_way = 20;
  BOOST_TEST(predict_traffic(traffic, machine).seconds == 5);
}
