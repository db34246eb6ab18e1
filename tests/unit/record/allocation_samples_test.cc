#include "record/allocation_samples.h"

#include <boost/test/unit_test.hpp>

using namespace marshal::report;

BOOST_AUTO_TEST_CASE(buffers_that_the_host_makes_in_passing_are_charged_to_no_communicator) {
  LeastAllocations least;
  AllocationSamples first, second;
  const AllocationKind kind{"MPI_Comm_dup", 16, 0};
  const auto add = [&](AllocationSamples& site, std::uint64_t bytes) {
    site.add(kind, bytes);
    least.add(kind, bytes);
  };
  add(first, 700000);  // the host's first buffers
  add(second, 18500);  // the same call elsewhere
  BOOST_TEST(first.split(least).own == 18500);
  BOOST_TEST(first.split(least).in_passing == 681500u);
  BOOST_TEST(second.split(least).own == 18500);
  BOOST_TEST(second.split(least).in_passing == 0u);
  BOOST_TEST(!first.split(least).at_most);
}

BOOST_AUTO_TEST_CASE(what_was_measured_once_is_an_upper_limit) {
  LeastAllocations least;
  AllocationSamples site;
  const AllocationKind kind{"MPI_Comm_split", 4, 0}, larger{"MPI_Comm_split", 8, 0};
  site.add(kind, 500);
  least.add(kind, 500);
  BOOST_TEST(site.split(least).at_most);
  BOOST_TEST(site.split(least).own == 500);
  site.add(larger, 1500);
  least.add(larger, 1500);
  least.add(larger, 900);
  BOOST_TEST(site.split(least).own == 700);  // (500 + 900) / 2
  BOOST_TEST(site.split(least).at_most);
}

BOOST_AUTO_TEST_CASE(nothing_measured_is_nothing) {
  BOOST_TEST(AllocationSamples().split(LeastAllocations()).own == 0);
  BOOST_TEST(AllocationSamples().count() == 0u);
}
