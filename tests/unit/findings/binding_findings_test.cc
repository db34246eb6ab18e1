#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "findings/findings.h"
#include "pages/pages.h"

using namespace marshal::report;
using Verdict = Finding::Verdict;

namespace {

constexpr std::uint64_t second = 1'000'000'000;

Record job() {
  Record record;
  record.job.ranks = 4;
  record.job.nodes = 1;
  record.ranks = RankSet::from_intervals({{0, 3}});
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    record.own.wall_ns.add(10 * second);
    record.times.run.add(10 * second, second, rank);
  }
  return record;
}
const CoreUse shared{1, 4, 20 * second, {0, 4, 4, 1, 7, "c1", "mpirun --map-by core --bind-to core", ""}};

const Finding* on_binding(const std::vector<Finding>& all) {
  const auto found = std::ranges::find(all, "binding", &Finding::subject);
  return found != all.end() ? &*found : nullptr;
}
Finding only(const Record& record) {
  const std::vector<Finding> all = findings(record);
  BOOST_REQUIRE(on_binding(all) != nullptr);
  BOOST_TEST((on_binding(all)->verdict == Verdict::act));
  return *on_binding(all);
}

}  // namespace

BOOST_AUTO_TEST_CASE(processes_that_share_cores_cost_what_they_waited) {
  Record record = job();
  record.cores.shared = shared;
  const Finding finding = only(record);
  BOOST_TEST(finding.what == "4 processes share 1 core of c1, while 7 of its cores are free.");
  BOOST_TEST(finding.evidence == "Measured: the mean of these processes waited 5 s for a core, 50 % of the run.");
  BOOST_TEST(finding.action == "Bound by mpirun --map-by core --bind-to core, each has a core of its own.");
  BOOST_TEST(finding.most_seconds == 5.0);
  record.times.paused_ns.add(9 * second);
  BOOST_TEST(only(record).evidence == finding.evidence);
  CoreUse elsewhere = shared;
  elsewhere.example.rank = 8, elsewhere.example.host = "c3", elsewhere.example.free = 1;
  record.cores.shared.merge(elsewhere);
  BOOST_TEST(only(record).what ==
             "4 processes share 1 core of c1, while 7 of its cores are free; so it is on 2 nodes.");
  BOOST_TEST(only(record).most_seconds == 5.0);
}

BOOST_AUTO_TEST_CASE(more_threads_than_cores_say_how_many_fit) {
  Record record = job();
  record.cores.threads = {1, 2, 15 * second, {0, 2, 4, 4, 4, "c1", "srun --cpu-bind=cores --cpus-per-task=4", ""}};
  const Finding finding = only(record);
  BOOST_TEST(finding.what ==
             "2 processes of c1 have up to 4 busy threads each on 4 cores, while 4 of its cores are free.");
  BOOST_TEST(finding.action ==
             "For instance OMP_NUM_THREADS=2 starts no more threads than there are cores; srun --cpu-bind=cores "
             "--cpus-per-task=4 gives each process cores for all of them.");
  record.cores.threads = {1, 1, 5 * second, {2, 1, 4, 1, 0, "c1", "", ""}};
  BOOST_TEST(only(record).what == "1 process of c1 has 4 busy threads on 1 core.");
  BOOST_TEST(only(record).action == "For instance OMP_NUM_THREADS=1 starts no more threads than there are cores.");
  record.cores.threads = {1, 3, 5 * second, {0, 3, 2, 2, 0, "c1", "", ""}};
  BOOST_TEST(only(record).action ==
             "Start fewer processes on a node, with one thread each: they are more than its cores.");
}

BOOST_AUTO_TEST_CASE(programs_outside_the_job_are_told_from_its_own) {
  Record record = job();
  record.cores.foreign = {1, 1, 5 * second, {0, 1, 1, 1, 1, "c1", "mpirun --bind-to none", ""}};
  const Finding finding = only(record);
  BOOST_TEST(finding.what ==
             "Other programs run on 1 core that 1 process of c1 is bound to, while 1 of its cores is free.");
  BOOST_TEST(
      finding.action ==
      "A second launcher on the node begins with its first core, too, or the program starts processes: give each "
      "cores of its own, or leave the cores to the system by mpirun --bind-to none.");
}

BOOST_AUTO_TEST_CASE(more_processes_than_cores_are_a_fact_of_the_time) {
  Record record = job();
  BOOST_TEST(too_many_text(record).empty());
  record.cores.too_many = {1, 4, 20 * second, {0, 4, 4, 2, 0, "c1", "", ""}};
  BOOST_TEST(on_binding(findings(record)) == nullptr);
  BOOST_TEST(too_many_text(record) == "4 processes share 2 cores");
  BOOST_TEST(to_screen(record, "").find("; 4 processes share 2\n              cores\n") != std::string::npos);
  BOOST_TEST(to_text(record, "").find("; 4 processes share 2 cores\n") != std::string::npos);
  record.cores.too_many.example.limit = "quota";
  record.job.nodes = 3;
  BOOST_TEST(too_many_text(record) == "4 processes share 2 cores, as the quota allows, on 1 of 3 nodes");
}

BOOST_AUTO_TEST_CASE(what_takes_less_than_a_hundredth_is_one_word) {
  Record record = job();
  record.cores.shared = shared;
  record.cores.shared.waited_ns = second / 10;
  const WhatToDo what = what_to_do(record);
  BOOST_TEST(what.findings.empty());
  BOOST_TEST(what.rest.find("binding (0.25 %)") != std::string::npos, what.rest);
}
