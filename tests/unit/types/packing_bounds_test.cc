#include "types/packing_bounds.h"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

using namespace marshal;

namespace {

std::map<std::size_t, int> asked;
double rate_of(std::size_t bytes) {
  ++asked[bytes];
  return bytes == 4096 ? 1000 : 100;
}

report::LayoutKey key_of(std::uint64_t hash) { return {std::to_string(hash), hash}; }

std::uint64_t bound_of(const LayoutRows& rows, const report::LayoutKey& key) {
  const report::DatatypeLayout* row = rows.find(key);
  return row == nullptr ? 0 : row->touched_bound_bytes_per_s;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(packing_bounds)

// Layouts are added while a program commits or packs: nothing is measured until their bounds are put into the report.
BOOST_AUTO_TEST_CASE(a_bound_is_the_rate_of_memcpy_times_the_packed_share) {
  asked.clear();
  LayoutRows rows;
  PackingBounds gone, bounds;
  for (const std::uint64_t hash : {1, 2, 3, 4}) rows[key_of(hash)].commits = 1;
  gone[key_of(1)].add(1, 4);
  gone[key_of(1)].add(1, 2);  // the best of both
  bounds[key_of(1)].add(1, 3);
  gone[key_of(2)].add(50000, 100000);
  bounds[key_of(3)].add(100, 4000);
  bounds[key_of(3)].add(80000, 100000);
  rows[key_of(3)].pack = {.timed_bytes = 90, .timed_ns = 1000000000};
  rows[key_of(3)].set_bound(0);
  bounds.merge(gone);
  BOOST_TEST(asked.empty());
  put_bounds(bounds, rate_of, rows);
  BOOST_TEST(bound_of(rows, key_of(1)) == 500U);
  BOOST_TEST(bound_of(rows, key_of(2)) == 50U);
  BOOST_TEST(bound_of(rows, key_of(3)) == 90U);  // the fastest that was seen
  BOOST_TEST(bound_of(rows, key_of(4)) == 0U);
  BOOST_TEST(rows.find(key_of(1))->commits == 1U);
  BOOST_TEST(asked.size() == 2U);
  for (const auto& [bytes, times] : asked) BOOST_TEST(times == 1, bytes << " bytes: " << times);
}

// Rows that have gone into `others` take their bounds there.
BOOST_AUTO_TEST_CASE(a_full_table_keeps_its_rows) {
  constexpr std::uint64_t most = LayoutRows::frame_limit;
  LayoutRows rows;
  PackingBounds bounds;
  for (std::uint64_t hash = 1; hash <= most + 1; ++hash) {
    rows[key_of(hash)].commits = 1;
    bounds[key_of(hash)].add(static_cast<double>(hash), 1000);
  }
  put_bounds(bounds, rate_of, rows);
  BOOST_TEST(rows.size() == most);
  BOOST_TEST(bound_of(rows, key_of(most)) == most);
  BOOST_TEST(rows.others().touched_bound_bytes_per_s == most + 1);
  BOOST_TEST(rows.others().commits == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
