#include "record/rank_set.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

#include "tests/unit/property_seed.h"

using namespace marshal::report;

BOOST_AUTO_TEST_CASE(a_set_of_intervals_is_a_set) {
  std::mt19937 random(marshal::property_seed());
  for (int round = 0; round < 300; ++round) {
    RankSet intervals;
    std::set<std::uint64_t> plain;
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t rank = random() % 30;
      intervals.merge(RankSet(rank));
      plain.insert(rank);
    }
    BOOST_TEST(intervals.count() == plain.size());
    const RankSet missing = intervals.missing(40);
    BOOST_TEST(missing.count() == 40 - plain.size());
    BOOST_TEST(!missing.overlaps(intervals));
    for (std::uint64_t rank = 0; rank < 40; ++rank)
      BOOST_TEST(intervals.overlaps(RankSet(rank)) == plain.contains(rank));
  }
}

BOOST_AUTO_TEST_CASE(neighbours_join) {
  RankSet set(1);
  set.merge(RankSet(0));
  set.merge(RankSet(2));
  BOOST_TEST(set.intervals().size() == 1u);
  BOOST_TEST(set.text() == "0-2");
  BOOST_TEST(set.missing(3).empty());
  BOOST_TEST(RankSet{}.text() == "none");
}

BOOST_AUTO_TEST_CASE(a_long_list_is_shortened) {
  RankSet set;
  for (std::uint64_t rank = 0; rank < 40; rank += 2) set.merge(RankSet(rank));
  BOOST_TEST(set.text(2) == "0, 2 and 18 more");
}
