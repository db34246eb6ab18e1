#include "rankmap/tables.h"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "rankmap/rank_map.h"
#include "rankmap/select_bitmap.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal;

namespace {

using Lpids = std::vector<std::int32_t>;

void check_table(const RankTable& table, const Lpids& lpids, std::int32_t group) {
  BOOST_REQUIRE(table.size() == static_cast<std::int32_t>(lpids.size()));
  for (std::int32_t i = 0; i < table.size(); ++i) {
    const Process process{group, lpids[static_cast<std::size_t>(i)]};
    BOOST_REQUIRE((table.at(i) == process));
    BOOST_REQUIRE(table.index_of(process) == i);
  }
  const std::set<std::int32_t> members(lpids.begin(), lpids.end());
  for (std::int32_t lpid = 0; lpid < 300; ++lpid) {
    if (members.count(lpid) == 0) BOOST_REQUIRE(table.index_of({group, lpid}) == -1);
  }
  BOOST_REQUIRE(table.index_of({group + 1, lpids[0]}) == -1);
  BOOST_REQUIRE(table.index_of({group, std::numeric_limits<std::int32_t>::max()}) == -1);
}

Lpids sample(std::int32_t range, std::int32_t size, unsigned seed) {
  Lpids lpids = UniformDraw(seed).shuffled(range);
  lpids.resize(static_cast<std::size_t>(size));
  std::sort(lpids.begin(), lpids.end());
  return lpids;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_table_answers_both_ways) {
  std::mt19937 random(property_seed());
  for (int trial = 0; trial < 60; ++trial) {
    const auto range = static_cast<std::int32_t>(1 + random() % 5000);
    const auto size = static_cast<std::int32_t>(1 + random() % static_cast<unsigned>(range));
    const Lpids monotone = sample(range, size, static_cast<unsigned>(random()));
    check_table(BitmapTable(2, monotone), monotone, 2);
    check_table(EliasFanoTable(2, monotone), monotone, 2);
    check_table(RunTable(2, monotone), monotone, 2);
    Lpids any = monotone;
    std::shuffle(any.begin(), any.end(), random);
    check_table(PackedTable(2, any), any, 2);
    check_table(LpidTable(2, any), any, 2);
    check_table(RunTable(2, any), any, 2);
    const CompactMap compacted = compact(2, any);
    for (std::int32_t r = 0; r < size; ++r) {
      BOOST_REQUIRE((compacted.table->at(compacted.index(r)) == Process{2, any[static_cast<std::size_t>(r)]}));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_kernel_selects_the_bit_that_counting_finds) {
  std::mt19937_64 random(property_seed());
  for (int trial = 0; trial < 500; ++trial) {
    std::array<std::uint64_t, 8> words;
    for (std::uint64_t& word : words)
      word = trial % 3 == 0 ? random() : trial % 3 == 1 ? random() & random() & random() : random() | random();
    std::int64_t ones = 0;
    for (std::int64_t bit = 0; bit < 512; ++bit) {
      if ((words[static_cast<std::size_t>(bit / 64)] >> (bit % 64) & 1) == 0) continue;
      for (const SelectKernel& kernel : select_kernels()) BOOST_REQUIRE(kernel.run(words.data(), ones) == bit);
      ++ones;
    }
  }
}

BOOST_AUTO_TEST_CASE(bitmaps_and_elias_fano_survive_wide_gaps) {
  const Lpids lpids{0, 1, 700, 100000, 100001, 2000000000};
  check_table(EliasFanoTable(0, lpids), lpids, 0);
  check_table(RunTable(0, lpids), lpids, 0);
  const Lpids packed{2147483646, 0, 5};
  check_table(PackedTable(0, packed), packed, 0);
}

BOOST_AUTO_TEST_CASE(estimates_are_what_is_then_held) {
  const Lpids monotone = sample(100000, 40000, 1);
  BOOST_TEST(BitmapTable::estimate(monotone) == BitmapTable(0, monotone).bytes());
  BOOST_TEST(EliasFanoTable::estimate(monotone) == EliasFanoTable(0, monotone).bytes());
  BOOST_TEST(RunTable::estimate(monotone) == RunTable(0, monotone).bytes());
  const Lpids any = UniformDraw(2).shuffled(40000);
  BOOST_TEST(PackedTable::estimate(any) == PackedTable(0, any).bytes());
}

BOOST_AUTO_TEST_CASE(irregular_maps_take_the_published_sizes_at_a_million_ranks) {
  constexpr std::int32_t million = 1 << 20;
  const auto bytes_a_rank = [](const RankMap& map) { return static_cast<double>(map.bytes()) / map.size(); };
  const RankMap random = RankMap::from_lpids(0, UniformDraw(3).shuffled(million), MapForm::blocks);
  BOOST_TEST(random.model() == "packed");
  BOOST_TEST(bytes_a_rank(random) < 2.64);
  const RankMap half = RankMap::from_lpids(0, sample(million, million / 2, 4), MapForm::blocks);
  BOOST_TEST(half.model() == "bitmap-select");
  BOOST_TEST(bytes_a_rank(half) < 0.28);
  const RankMap few = RankMap::from_lpids(0, sample(64 * million, million, 5), MapForm::blocks);
  BOOST_TEST(few.model() == "elias-fano");
  BOOST_TEST(bytes_a_rank(few) < 1.1);
  Lpids without;
  for (std::int32_t lpid = 0; lpid < million; ++lpid) {
    if (lpid % 1000 != 77 && lpid % 1313 != 5) without.push_back(lpid);
  }
  const RankMap runs = RankMap::from_lpids(0, without, MapForm::blocks);
  BOOST_TEST(runs.model() == "runs");
  BOOST_TEST(bytes_a_rank(runs) < 0.05);
}

BOOST_AUTO_TEST_CASE(decreasing_lpids_are_increasing_ones_read_backwards) {
  Lpids lpids = sample(100000, 50000, 6);
  std::reverse(lpids.begin(), lpids.end());
  const RankMap map = RankMap::from_lpids(0, lpids, MapForm::blocks);
  BOOST_TEST(map.model() == "bitmap-select");
  for (std::int32_t r = 0; r < map.size(); r += 7) {
    BOOST_REQUIRE((map.process(r) == Process{0, lpids[static_cast<std::size_t>(r)]}));
    BOOST_REQUIRE(map.rank_of(map.process(r)) == r);
  }
}

BOOST_AUTO_TEST_CASE(equal_tables_are_kept_once_and_leave_with_their_last_map) {
  const std::size_t before = TableRef::pool_size();
  {
    const Lpids lpids = UniformDraw(8).shuffled(5000);
    const RankMap first = RankMap::from_lpids(0, lpids, MapForm::blocks);
    const RankMap second = RankMap::from_lpids(0, lpids, MapForm::blocks);
    BOOST_TEST(first.table() == second.table());
    BOOST_TEST(TableRef::pool_size() == before + 1);
    const RankMap elsewhere = RankMap::from_lpids(1, lpids, MapForm::blocks);
    BOOST_TEST(first.table() != elsewhere.table());
  }
  BOOST_TEST(TableRef::pool_size() == before);
}

BOOST_AUTO_TEST_CASE(threads_may_make_look_up_and_drop_the_same_tables_at_once) {
  const Lpids lpids = UniformDraw(9).shuffled(300);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 2000; ++i) {
          const RankMap map = RankMap::from_lpids(0, lpids, MapForm::blocks);
          const RankMap copy = map;
          const std::int32_t r = i % map.size();
          if (copy.process(r).lpid != lpids[static_cast<std::size_t>(r)] || copy.rank_of(map.process(r)) != r) ++wrong;
        }
      });
    }
  }
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(a_million_maps_made_and_dropped_leave_nothing) {
  const std::size_t before = TableRef::pool_size();
  const RankMap world = RankMap::identity(0, 64, MapForm::blocks);
  const Lpids irregular = UniformDraw(10).shuffled(64);
  for (int i = 0; i < 1000000; ++i) {
    const RankMap child = i % 16 == 0 ? world.derive(irregular) : world.derive(StridedBlocks::linear(i % 2, 2, 32));
    if (child.size() == 0) BOOST_FAIL("lost");
  }
  BOOST_TEST(TableRef::pool_size() == before);
}
