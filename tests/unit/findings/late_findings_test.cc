#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "findings/findings.h"

using namespace marshal::report;
using Verdict = Finding::Verdict;

namespace {

constexpr std::uint64_t second = 1'000'000'000;
const PlaceKey at_reduce{{"MPI_Allreduce", {{"/opt/heat", 0x58}}}, {"MPI_COMM_WORLD", {}}};

// Eight processes, of which rank 6 works for 7 of 10 s and the others for 5.
Record job_with(const Arrivals& arrivals) {
  Record record;
  record.job.ranks = 8;
  record.job.nodes = 1;
  record.ranks = RankSet::from_intervals({{0, 7}});
  PlaceTime& place = record.times.places[at_reduce];
  for (std::uint64_t rank = 0; rank < 8; ++rank) {
    const std::uint64_t in_mpi = (rank == 6 ? 3 : 5) * second;
    record.times.run.add(10 * second, in_mpi, rank);
    place.time_ns.add(in_mpi, rank);
  }
  place.symbol = "heat.c:58 in step";
  place.arrivals = arrivals;
  return record;
}

Arrivals late() {
  return {64, 16 * second, 22 * second, 6, 61, 55'000'000, {"MPI_Waitall", {{"/opt/heat", 0x51}}}, "heat.c:51 in halo"};
}

std::ptrdiff_t on_time(const std::vector<Finding>& all) { return std::ranges::count(all, "time", &Finding::subject); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_process_that_comes_last_is_named_with_its_place_and_what_it_did_before) {
  const std::vector<Finding> all = findings(job_with(late()));
  BOOST_REQUIRE(on_time(all) == 1);
  const Finding& found = *std::ranges::find(all, "time", &Finding::subject);
  BOOST_TEST((found.verdict == Verdict::act));
  BOOST_TEST(found.what ==
             "Rank 6 comes last to MPI_Allreduce at heat.c:58 in step, where processes wait for 20 % of the run.");
  BOOST_TEST(found.evidence ==
             "Measured: it was last in 61 of 64 samples, 55 ms after the others in the mean. Outside MPI it works 33 % "
             "longer than the mean process.");
  BOOST_TEST(found.action == "Give rank 6 less to do between MPI_Waitall at heat.c:51 in halo and that call.");
  BOOST_TEST(found.most_seconds == 2.0);
}

BOOST_AUTO_TEST_CASE(a_process_that_works_no_longer_than_others_is_not_told_to_do_less) {
  Record record = job_with(late());
  record.times.run.useful_ns = {};
  for (std::uint64_t rank = 0; rank < 8; ++rank) record.times.run.useful_ns.add(5 * second, rank);
  const std::vector<Finding> all = findings(record);
  BOOST_REQUIRE(on_time(all) == 1);
  BOOST_TEST(std::ranges::find(all, "time", &Finding::subject)->action ==
             "See what rank 6 does, or waits for, before that call: its call before is MPI_Waitall at heat.c:51 in "
             "halo.");
}

BOOST_AUTO_TEST_CASE(processes_that_come_last_by_turns_and_short_waiting_are_not_blamed) {
  Arrivals by_turns = late();
  by_turns.last_samples = 32;
  Arrivals brief = late();
  brief.waiting_ns = second / 2;
  Arrivals few = late();
  few.samples = few.last_samples = 4;
  Arrivals unknown = late();
  unknown.waiting_ns = unknown.moving_ns = 0;
  for (const Arrivals& arrivals : {by_turns, brief, few, unknown})
    for (const Finding& found : findings(job_with(arrivals)))
      BOOST_TEST(found.what.find("comes last") == std::string::npos, found.what);
}
