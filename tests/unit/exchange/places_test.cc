#include "exchange/places.h"

#include <boost/test/unit_test.hpp>
#include <set>
#include <vector>

#include "exchange/parcel.h"

using namespace marshal::exchange;

namespace {

// A block of one process for another, by its two ranks.
std::vector<std::byte> block_of(int from, int to) {
  std::vector<std::byte> block(static_cast<std::size_t>((from * 7 + to * 3) % 5));
  for (std::size_t i = 0; i < block.size(); ++i)
    block[i] = static_cast<std::byte>(from * 16 + to + static_cast<int>(i));
  return block;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(places_test)

BOOST_AUTO_TEST_CASE(two_nodes_talk_by_one_process_of_each) {
  const std::vector<std::int32_t> nodes{0, 1, 1, 2, 1, 0, 2, 2, 2, 3, 3};
  for (int self = 0; self < static_cast<int>(nodes.size()); ++self) {
    const Places places(nodes, self);
    BOOST_TEST(places.nodes() == 4);
    BOOST_TEST(places.leaders() == 2);
    BOOST_TEST(places.members(places.own_node())[static_cast<std::size_t>(places.own_index())] == self);
    std::set<int> talked_to;
    for (int leader = 0; leader < places.leaders(); ++leader)
      for (const int node : places.nodes_of(leader)) {
        BOOST_TEST(talked_to.insert(node).second);
        BOOST_TEST(places.leader_index(node, places.own_node()) == leader);
      }
    BOOST_TEST(talked_to.size() == 4u);
  }
}

BOOST_AUTO_TEST_CASE(one_process_a_node_or_one_node_saves_nothing) {
  BOOST_TEST(!Places(std::vector<std::int32_t>{0, 1, 2}, 1).save_messages());
  BOOST_TEST(!Places(std::vector<std::int32_t>{4, 4, 4}, 1).save_messages());
  BOOST_TEST(Places(std::vector<std::int32_t>{4, 4, 5}, 2).save_messages());
}

BOOST_AUTO_TEST_CASE(every_process_leads_or_has_nothing_to_lead) {
  const std::vector<std::int32_t> nodes{0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  for (int self = 0; self < 10; ++self) {
    const Places places(nodes, self);
    BOOST_TEST(places.leaders() == 2);
    BOOST_TEST(places.leads() == (self % 5 < 2));
    if (places.leads()) BOOST_TEST(!places.nodes_of(places.own_index()).empty());
  }
}

BOOST_AUTO_TEST_CASE(no_leader_has_more_blocks_than_all_processes_reckon_with) {
  const std::vector<std::int32_t> nodes{0, 1, 1, 2, 1, 0, 2, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5, 0, 6, 6};
  const std::size_t most = Places(nodes, 0).most_blocks_of_leader();
  for (int self = 0; self < static_cast<int>(nodes.size()); ++self) {
    const Places places(nodes, self);
    BOOST_TEST(places.most_blocks_of_leader() == most);
    std::size_t blocks = 2 * nodes.size();
    if (places.leads())
      blocks += 4 * places.members(places.own_node()).size() *
                static_cast<std::size_t>(places.processes_of(places.own_index()));
    BOOST_TEST(blocks <= most);
  }
}

BOOST_AUTO_TEST_CASE(a_parcel_gives_what_was_put_in) {
  constexpr std::size_t blocks = 12;
  std::vector<std::byte> memory(bytes_of_parcel(blocks, 8));
  ParcelWriter writer(memory.data(), blocks);
  for (int to = 0; to < static_cast<int>(blocks); ++to) {
    const std::vector<std::byte> block = block_of(3, to);
    writer.add({block.data(), static_cast<std::uint32_t>(block.size())});
  }
  BOOST_TEST(writer.end({-5, 1}) <= memory.size());
  ParcelReader reader(memory.data(), blocks);
  BOOST_TEST(reader.head().votes == -5);
  BOOST_TEST(reader.head().falls_back == 1);
  BOOST_TEST(reader.head().has_failed == 0);
  for (int to = 0; to < static_cast<int>(blocks); ++to) {
    const Block block = reader.next();
    BOOST_TEST((std::vector<std::byte>(block.data, block.data + block.bytes) == block_of(3, to)));
  }
}

BOOST_AUTO_TEST_SUITE_END()
