#include <boost/test/unit_test.hpp>

#include "times/time_sums.h"

namespace marshal {
namespace {

const void* address(std::uintptr_t of) { return reinterpret_cast<const void*>(of); }

TimedPlace place(std::uint16_t call, std::uintptr_t caller, const char* communicator) {
  TimedPlace of;
  of.call = call;
  of.frames.address[0] = address(caller);
  of.frames.count = 1;
  of.communicator.call = communicator;
  return of;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_place_is_found_by_caller_call_and_communicator) {
  PlaceTimes times;
  const PlaceTimes::Key key(address(0x1000), 3, 7);
  BOOST_TEST(times.lately(key, 0) == nullptr);
  PlaceTimes::Sum& sum = *times.at(key, 0, place(3, 0x1000, "MPI_COMM_WORLD"), nullptr).sum;
  sum.add(1, 5);
  sum.add(64, 50);
  BOOST_TEST(times.lately(key, 0)->sum == &sum);
  BOOST_TEST(sum.calls.load() == 65u);
  BOOST_TEST(sum.ticks.load() == 55u);
  BOOST_TEST(times.lately({address(0x1000), 4, 7}, 0) == nullptr);
  BOOST_TEST(times.lately({address(0x1000), 3, 8}, 0) == nullptr);
  BOOST_TEST(times.lately({address(0x1001), 3, 7}, 0) == nullptr);
}

BOOST_AUTO_TEST_CASE(after_a_communicator_ended_its_handle_is_looked_up_again) {
  PlaceTimes times;
  const PlaceTimes::Key key(address(0x1000), 3, 7);
  PlaceTimes::Sum& first = *times.at(key, 0, place(3, 0x1000, "MPI_Comm_dup"), nullptr).sum;
  BOOST_TEST(times.lately(key, 1) == nullptr);
  PlaceTimes::Sum& second = *times.at(key, 1, place(3, 0x1000, "MPI_Comm_split"), nullptr).sum;
  BOOST_TEST(&first != &second);
  BOOST_TEST(times.lately(key, 1)->sum == &second);
  BOOST_TEST(times.at(key, 2, place(3, 0x1000, "MPI_Comm_dup"), nullptr).sum == &first);  // the same place as before
}

BOOST_AUTO_TEST_CASE(places_beyond_the_limit_share_one_sum) {
  PlaceTimes times;
  for (std::uintptr_t i = 1; i <= PlaceTimes::most + 10; ++i)
    times.at({address(i << 4), 3, 0}, 0, place(3, i << 4, nullptr), nullptr).sum->add(1, 2);
  std::uint64_t kept = 0, ticks = times.others().ticks.load();
  times.each([&](const PlaceTimes::Sum& sum) { ++kept, ticks += sum.ticks.load(); });
  BOOST_TEST(kept == PlaceTimes::most);
  BOOST_TEST(times.others().calls.load() == 10u);
  BOOST_TEST(ticks == 2 * (PlaceTimes::most + 10));
}

}  // namespace marshal
