#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "pages/pages.h"
#include "tests/unit/record/random_record.h"

using namespace marshal::report;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_done_is_shown_as_zero_and_nothing_known_as_not_available) {
  const std::string text = to_text(Record{});
  for (const char* line : {"Communicators: 0 made", "Grids: 0 made", "Datatypes: 0 committed", "Warnings: 0",
                           "MPI not available", "wall time not available", "init not available"})
    BOOST_TEST(contains(text, line), line << " is missing from\n" << text);
}

BOOST_AUTO_TEST_CASE(the_text_tells_what_was_made_where) {
  Record record;
  record.job = {.program = "app",
                .job_id = "7",
                .scheduler = "SLURM",
                .marshal_version = "0.1.0",
                .mpi = "Open MPI 4.1.4",
                .mpi_standard = "3.1",
                .ranks = 8,
                .nodes = 4,
                .ranks_per_node_min = 2,
                .ranks_per_node_max = 2,
                .project_ranks = 1 << 20};
  record.ranks = RankSet::from_intervals({{0, 7}});
  CommunicatorSite& site = record.communicators[{"MPI_Comm_split", {{"/opt/bin/app", 0x1234}}}];
  site.communicators = 2;
  for (int rank = 0; rank < 8; ++rank) {
    site.made.add(1);
    site.ranks.add(4);
    site.marshal.add(64, 0);
    site.host.add(2048 + 32, 32);
    site.vc_vcrt.unavailable = "not worked out";
  }
  site.models["stride"] = 8;
  const std::string text = to_text(record, "marshal-app-7.json");
  for (const char* part : {"app (job 7, SLURM), Open MPI 4.1.4 (MPI 3.1), 8 ranks on 4 nodes (2 a node)",
                           "MPI_Comm_split", "app+0x1234", "stride", "64 B", "2.03 KiB", "4 MiB",
                           "Whole report: marshal report marshal-app-7.json", "VC-VCRT not available", "What to do:"})
    BOOST_TEST(contains(text, part), part << " is missing from\n" << text);
  BOOST_TEST(!contains(text, "INCOMPLETE"));
}

BOOST_AUTO_TEST_CASE(the_part_of_the_time_that_went_to_marshal_is_of_all_processes_and_never_above_the_whole) {
  Record record;
  BOOST_TEST(!contains(to_text(record), "of the time"));  // nothing measured
  // One process waits long in init, the other long in calls: neither maximum is the other's.
  record.own.wall_ns = {2, 2000, 1000, 1000};
  record.own.init_ns = {2, 1000, 100, 900};
  record.own.finalize_ns = {1, 1000, 1000, 1000};
  record.own.inside_ns = {2, 1000, 100, 900};
  record.own.init_cpu_ns = {2, 900, 100, 800};
  BOOST_TEST(contains(to_text(record), "init 900 ns (CPU 800 ns), inside calls 900 ns (CPU not available)"));
  BOOST_TEST(contains(to_text(record), "; 100 % of the time of all processes"));
}

BOOST_AUTO_TEST_CASE(missing_and_partial_ranks_are_named) {
  Record record;
  record.job.ranks = 8;
  record.ranks = RankSet::from_intervals({{0, 2}, {5, 7}});
  record.partial = RankSet(6);
  const std::string text = to_text(record);
  BOOST_TEST(contains(text, "INCOMPLETE: 6 of 8 ranks recorded; missing: 3-4"));
  BOOST_TEST(contains(text, "1 rank ended without MPI_Finalize: 6"));
}

BOOST_AUTO_TEST_CASE(the_details_of_a_large_run_are_bounded) {
  RandomRecords random(4);
  Record record;
  for (std::uint64_t rank = 0; rank < 500; ++rank) merge(record, random.record(rank, 3000));
  std::string text = to_text(record);
  // All warnings are shown.
  const auto lines = std::count(text.begin(), text.end(), '\n') - static_cast<long>(record.warnings.size());
  BOOST_TEST(lines < 104);
  BOOST_TEST(contains(text, "further call sites"));
}

BOOST_AUTO_TEST_CASE(nothing_is_extrapolated_from_what_the_library_had_in_hand_already) {
  Record record;
  record.job.ranks = 4;
  record.job.project_ranks = 1 << 20;
  record.ranks = RankSet::from_intervals({{0, 3}});
  CommunicatorSite& site = record.communicators[{"MPI_Comm_dup", {}}];
  for (int rank = 0; rank < 4; ++rank)
    site.made.add(1), site.ranks.add(4), site.marshal.add(64, 0), site.host.add(0, 0);
  site.host.not_projected = "the host took it from memory that it held already";
  BOOST_TEST(contains(to_text(record), "not measurable"));
  site.host.not_projected.clear();
  BOOST_TEST(!contains(to_text(record), "not measurable"));
}

BOOST_AUTO_TEST_CASE(bytes_that_may_be_somebody_elses_are_an_upper_limit) {
  Record record;
  record.job.ranks = 2;
  record.ranks = RankSet::from_intervals({{0, 1}});
  CommunicatorSite& site = record.communicators[{"MPI_Comm_dup", {}}];
  for (int rank = 0; rank < 2; ++rank) site.made.add(1), site.ranks.add(2), site.host.add(2048, 16);
  site.host.at_most = 2;
  site.host_in_passing_bytes.add(512 << 10);
  BOOST_TEST(contains(to_text(record), "<= 2 KiB"));
  BOOST_TEST(
      contains(to_text(record), "the MPI library took up to 512 KiB more for itself in these calls, in a process"));
}

BOOST_AUTO_TEST_CASE(text_of_a_record_from_elsewhere_cannot_steer_a_terminal) {
  const auto lines = [](const std::string& evil) {
    Record record;
    record.job.program = record.job.mpi = record.job.mpi_standard = record.job.job_id = record.job.scheduler = evil;
    record.job.thread_level = record.job.started = evil;
    record.job.settings = {{evil, evil}};
    record.bindings = {evil};
    record.warn(evil);
    record.communicators[{evil, {{"/" + evil, 1}}}].models[evil] = 1;
    record.communicators[{evil, {{"/" + evil, 1}}}].made.add(1);
    Grid grid{.made = 1, .processes = 2};
    grid.reason = grid.stencil = grid.weights = grid.symbol = evil;
    grid.jsum_by_mapper = {{evil, 1}};
    record.grids[{{evil, {}}, {2}, {0}, evil, true}].merge(grid);
    grid.weights = "learned";
    grid.learned_from = evil;
    record.grids[{{evil, {}}, {3}, {0}, evil, true}].merge(grid);
    record.datatypes[{evil, 1}].plans[evil] = 1;
    record.counters[evil].unavailable = evil;
    const std::string text = to_text(record);
    BOOST_TEST(!contains(text, "\x1b"));
    return std::count(text.begin(), text.end(), '\n');
  };
  BOOST_TEST(lines("a\n\x1b[2J") == lines("a\\x0a\\x1b[2J"));
}
