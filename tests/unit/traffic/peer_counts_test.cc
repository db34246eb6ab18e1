#include <atomic>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <thread>

#include "tests/unit/property_seed.h"
#include "traffic/thread_counts.h"

using namespace marshal;

BOOST_AUTO_TEST_CASE(counts_are_those_of_a_plain_map) {
  std::mt19937_64 random(property_seed());
  PeerCounts counts;
  std::map<PeerName, std::pair<std::uint64_t, std::uint64_t>> expected;
  for (int i = 0; i < 200000; ++i) {
    PeerName name = static_cast<PeerName>(random() % 5000);
    if (random() % 100 == 0) name = peer_on_node(static_cast<std::int32_t>(random() % 50));
    if (random() % 1000 == 0) name = foreign_peer;
    const std::uint64_t bytes = random() % 1000;
    PeerCount* count = counts.of(name);
    BOOST_REQUIRE(count != nullptr);
    count->add(1, bytes);
    ++expected[name].first;
    expected[name].second += bytes;
  }
  BOOST_TEST(counts.size() == expected.size());
  counts.each([&](const PeerCount& count) {
    BOOST_TEST(expected.at(count.name).first == count.messages);
    BOOST_TEST(expected.at(count.name).second == count.bytes);
  });
}

BOOST_AUTO_TEST_CASE(grids_have_counts_of_their_own) {
  PeerCounts counts;
  for (PeerName name = 0; name < 1000; ++name)
    for (const GridNumber grid : std::initializer_list<GridNumber>{0, 1, 2, 255}) counts.of(name, grid)->add(1, grid);
  BOOST_TEST(counts.size() == 4000);
  counts.each([](const PeerCount& count) {
    BOOST_TEST(count.messages == 1);
    BOOST_TEST(count.bytes == count.grid.load());
  });
}

BOOST_AUTO_TEST_CASE(a_count_stays_where_it_is) {
  PeerCounts counts;
  PeerCount* const first = counts.of(7);
  for (PeerName name = 0; name < 10000; ++name) counts.of(name);
  BOOST_TEST(counts.of(7) == first);
}

BOOST_AUTO_TEST_CASE(beyond_the_most_processes_there_is_room_for_nodes_only) {
  PeerCounts counts;
  for (std::size_t name = 0; name < PeerCounts::most_processes; ++name)
    BOOST_REQUIRE(counts.of(static_cast<PeerName>(name)) != nullptr);
  BOOST_TEST(!counts.has_room());
  BOOST_TEST(counts.of(PeerCounts::most_processes) == nullptr);
  BOOST_TEST(counts.of(3) != nullptr);
  BOOST_TEST(counts.of(peer_on_node(0)) != nullptr);
  BOOST_TEST(counts.of(peer_on_node(20000)) != nullptr);
  BOOST_TEST(counts.of(foreign_peer) != nullptr);
  BOOST_TEST(is_node(peer_on_node(20000)));
  BOOST_TEST(node_of_peer(peer_on_node(20000)) == 20000);
  BOOST_TEST(!is_node(foreign_peer));
}

BOOST_AUTO_TEST_CASE(another_thread_reads_while_the_owner_adds) {
  PeerCounts counts;
  std::atomic<bool> done{false};
  std::thread reader([&] {
    std::uint64_t last = 0;
    while (!done) {
      std::uint64_t sum = 0;
      counts.each([&](const PeerCount& count) { sum += count.messages; });
      if (sum < last) BOOST_ERROR("messages were lost");
      last = sum;
    }
  });
  for (int round = 0; round < 20; ++round)
    for (PeerName name = 0; name < 5000; ++name) counts.of(name)->add(1, 8);
  done = true;
  reader.join();
}
