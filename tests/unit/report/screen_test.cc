// The report on one screen.
#include "report/screen.h"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "report/findings.h"
#include "report/text_lines.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/report/random_record.h"

using namespace marshal::report;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void expect_one_screen(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  BOOST_TEST(lines.size() <= screen_lines, text);
  for (const std::string& line : lines) BOOST_TEST(columns_of(line) <= screen_columns, line);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Ten seconds of two processes, of which rank 1 is in MPI for `share` of them.
Record timed_run(double share) {
  Record record;
  record.job = {.program = "app", .marshal_version = "0.1.0", .mpi = "Open MPI 4.1.4", .ranks = 2, .nodes = 2};
  record.ranks = RankSet::from_intervals({{0, 1}});
  constexpr std::uint64_t run = 10'000'000'000;
  const auto most = static_cast<std::uint64_t>(share * static_cast<double>(run));
  record.times.run.add(run, most / 2, 0);
  record.times.run.add(run, most, 1);
  CallCount& wait = record.calls["MPI_Waitall"];
  PlaceTime& place = record.times.places[{{"MPI_Waitall", {{"/opt/app", 0x88}}}, {}}];
  place.symbol = "halo.c:88";
  for (std::uint64_t rank : {0, 1}) {
    wait.add(100);
    wait.time_ns.add(rank == 0 ? most / 2 : most, rank);
    place.time_ns.add(rank == 0 ? most / 2 : most, rank);
  }
  return record;
}

}  // namespace

BOOST_AUTO_TEST_CASE(any_record_fits_one_screen) {
  const auto seed = marshal::property_seed();
  BOOST_TEST_CONTEXT("seed " << seed) {
    RandomRecords random(static_cast<unsigned>(seed));
    for (int i = 0; i < 200; ++i) {
      Record record = random.record(0, 1 + random.number(40));
      for (std::uint64_t rank = 1; rank < 5; ++rank) merge(record, random.record(rank, 1 + random.number(40)));
      record.job.program = std::string(random.number(300), 'p');
      record.job.mpi = std::string(random.number(300), 'm');
      for (std::uint64_t k = random.number(30); k > 0; --k)
        record.job.settings["MARSHAL_" + std::to_string(k)] = std::string(random.number(200), 'v');
      record.warn(std::string(random.number(500), 'w'));
      expect_one_screen(to_screen(record, std::string(random.number(300), '/') + ".json"));
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_known_fits_one_screen) { expect_one_screen(to_screen(Record{})); }

BOOST_AUTO_TEST_CASE(the_time_line_names_share_rank_and_calls) {
  const std::string text = to_screen(timed_run(0.4));
  for (const char* part : {"30 % in MPI (rank 1: 40 %): MPI_Waitall 30 %", "load balance 0.88, communication 0.80"})
    BOOST_TEST(contains(text, part), part << " is missing from\n" << text);
}

BOOST_AUTO_TEST_CASE(what_to_do_claims_no_more_than_the_time_measured_there) {
  Record record = timed_run(0.4);
  record.traffic.processes = 2;
  record.traffic.messages = 100;
  record.traffic.bytes = 1000;
  record.traffic.between_nodes = {900, 900};
  for (const Finding& finding : what_to_do(record).findings) {
    BOOST_TEST(finding.most_seconds <= 3.0001, finding.subject << ": " << finding.most_seconds);
    if (finding.subject == "traffic") BOOST_TEST(contains(finding.what, "At most 3 s to gain, 30 % of the run."));
  }
}

BOOST_AUTO_TEST_CASE(findings_of_less_than_a_hundredth_of_the_run_are_one_line) {
  Record record = timed_run(0.004);
  record.traffic.processes = 2;
  record.traffic.messages = 100;
  record.traffic.bytes = 1000;
  record.traffic.between_nodes = {900, 900};
  const WhatToDo what = what_to_do(record);
  BOOST_TEST(what.findings.empty());
  BOOST_TEST(what.rest == "Less than 1 % of the run each, at most: traffic (0.30 %).");
}

BOOST_AUTO_TEST_CASE(what_to_do_is_ordered_by_seconds) {
  Record record = timed_run(0.6);
  record.traffic.processes = 2;
  record.traffic.messages = 100;
  record.traffic.bytes = 1000;
  record.traffic.between_nodes = {900, 900};
  const WhatToDo what = what_to_do(record);
  BOOST_TEST(what.findings.size() == WhatToDo::most);
  for (std::size_t i = 1; i < what.findings.size(); ++i)
    BOOST_TEST(what.findings[i - 1].most_seconds >= what.findings[i].most_seconds);
}
