#include "record/record.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "pages/pages.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/record/random_record.h"

using namespace marshal::report;

BOOST_AUTO_TEST_CASE(merging_is_associative_and_commutative) {
  RandomRecords random(marshal::property_seed());
  for (int round = 0; round < 40; ++round) {
    const std::uint64_t pool = round % 2 == 0 ? 5 : 2000;  // few equal sites, or more than a table holds
    std::vector<Record> parts;
    for (std::uint64_t rank = 0; rank < 2 + random.number(40); ++rank) parts.push_back(random.record(rank, pool));
    Record in_a_row;
    for (const Record& part : parts) merge(in_a_row, part);
    while (parts.size() > 1) {
      const std::size_t a = random.number(parts.size());
      std::swap(parts[a], parts.back());
      Record last = std::move(parts.back());
      parts.pop_back();
      merge(parts[random.number(parts.size())], last);
    }
    BOOST_REQUIRE(parts.front() == in_a_row);
  }
}

BOOST_AUTO_TEST_CASE(an_empty_record_changes_nothing) {
  RandomRecords random(1);
  const Record record = random.record(3, 10);
  Record left = record, right;
  merge(left, Record{});
  merge(right, record);
  BOOST_TEST((left == record));
  BOOST_TEST((right == record));
}

BOOST_AUTO_TEST_CASE(the_record_does_not_grow_with_the_number_of_ranks) {
  RandomRecords random(2);
  Record all;
  std::size_t at_512 = 0;
  for (std::uint64_t rank = 0; rank < 2048; ++rank) {
    merge(all, random.record(rank, 100000));
    if (rank == 511) at_512 = to_cbor(all).size();
  }
  BOOST_TEST(all.communicators.size() == most_sites);
  BOOST_TEST(all.grids.size() == most_grids);
  BOOST_TEST(all.datatypes.size() == most_layouts);
  BOOST_TEST(to_cbor(all).size() < at_512 + at_512 / 10);
}

BOOST_AUTO_TEST_CASE(the_lowest_rank_speaks_for_the_job) {
  RandomRecords random(3);
  Record high = random.record(9, 10), low = random.record(2, 10);
  high.job.mpi = "other";
  low.job.mpi = "Open MPI 4.1.4";
  merge(high, low);
  BOOST_TEST(high.job.mpi == "Open MPI 4.1.4");
  BOOST_TEST(high.job.host == "node2");
}

BOOST_AUTO_TEST_CASE(memory_is_extrapolated_by_the_part_that_grows) {
  Memory memory;
  memory.add(1000 + 8 * 16, 8 * 16);
  memory.add(1000 + 8 * 16, 8 * 16);
  BOOST_TEST(memory.projected(16, 16) == 1128);
  BOOST_TEST(memory.projected(16, 1600) == 1000 + 8 * 1600);
  BOOST_TEST(Memory{}.projected(16, 1600) == 0);
}

BOOST_AUTO_TEST_CASE(nodes_of_cells_are_kept_as_runs_up_to_a_bound) {
  const auto runs = node_runs({0, 0, 1, 1, 1, 0});
  BOOST_TEST(runs.size() == 3u);
  BOOST_TEST(runs[1].second == 3u);
  std::vector<std::uint32_t> alternating(2 * most_node_runs);
  for (std::size_t i = 0; i < alternating.size(); ++i) alternating[i] = i % 2;
  BOOST_TEST(node_runs(alternating).empty());
}

BOOST_AUTO_TEST_CASE(no_rate_is_above_its_bound_however_records_are_merged) {
  RandomRecords random(marshal::property_seed());
  for (int round = 0; round < 200; ++round) {
    DatatypeLayout all;
    for (std::uint64_t process = 0; process <= random.number(6); ++process) {
      DatatypeLayout layout = random.layout();
      layout.unpack = random.work();
      layout.set_bound(static_cast<double>(random.number(1u << 30)));
      all.merge(layout);
    }
    PackWork both = all.pack;
    both.merge(all.unpack);
    for (const double rate : {all.pack.rate(), all.unpack.rate(), both.rate(), both.host_rate()})
      BOOST_TEST(rate <= static_cast<double>(all.touched_bound_bytes_per_s) * (1 + 1e-12));
  }
}
