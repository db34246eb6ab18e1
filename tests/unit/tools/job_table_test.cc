#include "tools/jobs/job_table.h"

#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "pages/table.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/record/random_record.h"

using namespace marshal;
using namespace marshal::tools;
using report::Summary;

namespace {

Summary run(const std::string& program, std::uint64_t ranks, std::uint64_t hours) {
  Summary summary;
  summary.program = program;
  summary.user = "ann";
  summary.started = "2026-11-21T09:14:47+00:00";
  summary.ranks = ranks;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) summary.wall_ns.add(hours * 3600 * 1000000000);
  return summary;
}

const JobTotals& totals_of(const JobTable& table, const char* key) {
  for (const JobTable::Line& row : table.rows())
    if (row.key.front() == key) return *row.totals;
  BOOST_FAIL("no row " << key);
  return table.all();
}

}  // namespace

BOOST_AUTO_TEST_CASE(shares_are_weighted_by_the_time_of_all_processes) {
  JobTable table({JobKey::program});
  Summary small = run("app", 1, 1), large = run("app", 9, 1), unmeasured = run("app", 100, 1);
  small.mpi_share = 1;
  large.mpi_share = 0.5;
  for (const Summary& summary : {small, large, unmeasured}) table.add(summary, true);
  const JobTotals& app = totals_of(table, "app");
  BOOST_TEST(app.runs == 3u);
  BOOST_TEST(app.least_ranks == 1u);
  BOOST_TEST(app.most_ranks == 100u);
  BOOST_TEST(app.process_seconds == 110 * 3600.0);
  BOOST_TEST(app.mpi.mean().value() == 0.55, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(!app.own_cpu.mean().has_value());
  BOOST_TEST(!app.saved_seconds.has_value());
}

BOOST_AUTO_TEST_CASE(later_files_of_a_run_add_time_and_no_run) {
  JobTable table({JobKey::program});
  table.add(run("app", 2, 1), true);
  table.add(run("app", 2, 1), false);
  BOOST_TEST(table.all().runs == 1u);
  BOOST_TEST(table.all().process_seconds == 4 * 3600.0);
}

BOOST_AUTO_TEST_CASE(rows_have_any_keys_and_an_order) {
  JobTable table({JobKey::user, JobKey::program, JobKey::month, JobKey::host});
  table.add(run("small", 1, 1), true);
  table.add(run("large", 9, 1), true);
  const auto rows = table.rows();
  BOOST_TEST_REQUIRE(rows.size() == 2u);
  BOOST_TEST((rows[0].key == JobTable::Key{"ann", "large", "2026-11", "unknown"}));
  JobTable months({JobKey::month});
  Summary later = run("large", 9, 1);
  later.started = "2026-12-01T00:00:00+00:00";
  months.add(later, true);
  months.add(run("small", 1, 1), true);
  BOOST_TEST(months.rows()[0].key.front() == "2026-11");
}

BOOST_AUTO_TEST_CASE(findings_repeat_whatever_their_figures) {
  BOOST_TEST(without_figures("Messages: 5.24 MiB in 1200 messages; 3.1 % of the bytes left their node.") ==
             "Messages: N in N messages; N of the bytes left their node.");
  BOOST_TEST(without_figures("It took 2 h 03 min of the 4x4 grid (8, 9).") == "It took N of the N grid (N, N).");
  BOOST_TEST(without_figures("Made by f (solver2.c:123) at 5.") == "Made by f (solver2.c:123) at N.");
  BOOST_TEST(without_figures("3 s of MPI_Pack") == "N of MPI_Pack");
  BOOST_TEST(without_figures("") == "");
  JobTable table({JobKey::program});
  Summary one = run("app", 1, 1), other = run("app", 1, 1);
  one.findings = {{"to do", "grids", "It moved 5 ranks."}, {"to do", "grids", "It moved 6 ranks."}};
  other.findings = {{"to do", "grids", "It moved 7 ranks."}, {"gained", "grids", "It moved 7 ranks."}};
  table.add(one, true);
  table.add(other, true);
  const auto found = table.most_frequent(totals_of(table, "app"));
  BOOST_TEST_REQUIRE(found.size() == 2u);
  BOOST_TEST(found[0].second == 2u);
  BOOST_TEST(table.finding(found[0].first).what == "It moved N ranks.");
  BOOST_TEST(table.all().to_do == 2u);
}

BOOST_AUTO_TEST_CASE(rows_and_findings_are_bounded_and_nothing_is_lost) {
  JobTable table({JobKey::program});
  constexpr std::uint64_t runs = JobTable::most_rows + 100;
  for (std::uint64_t i = 0; i < runs; ++i) {
    Summary summary = run(fmt::format("app{}", i), 1, 1);
    summary.findings = {{"to do", "grids", fmt::format("finding-{}", i)}};
    table.add(summary, true);
  }
  const auto rows = table.rows();
  BOOST_TEST(rows.size() == JobTable::most_rows + 1);
  BOOST_TEST(rows.back().key.front() == "others");
  BOOST_TEST(rows.back().totals->runs == 100u);
  std::uint64_t counted = 0;
  for (const JobTable::Line& row : rows) counted += row.totals->runs;
  BOOST_TEST(counted == runs);
  const auto found = table.most_frequent(table.all());
  BOOST_TEST(found.size() == JobTable::most_findings + 1);
  BOOST_TEST(table.finding(found.front().first).what == "other findings");
}

BOOST_AUTO_TEST_CASE(the_text_has_100_columns_at_most) {
  report::RandomRecords random(property_seed());
  JobTable table({JobKey::program, JobKey::user, JobKey::host, JobKey::month});
  for (int i = 0; i < 500; ++i) {
    Summary summary =
        run(std::string(random.number(80), 'p') + std::to_string(random.number(30)), 1 + random.number(50), 1);
    summary.user = std::string(random.number(40), 'u') + "\x1b[31m";
    summary.host = std::string(random.number(40), 'h');
    summary.ranks = random.number(std::uint64_t{1} << random.number(24));
    summary.wall_ns.sum = random.number(std::uint64_t{1} << random.number(64));
    summary.mpi_share = 0.12345;
    summary.saved_seconds = random.number(2) == 0 ? -123456.0 : 1e9;
    summary.between_nodes = {random.number(std::uint64_t{1} << random.number(64)), 1};
    summary.findings = {
        {"to do", "grids", "It is " + std::string(20, 'l') + " and " + std::string(50, 'l') + " and so on."}};
    table.add(summary, true);
  }
  std::istringstream text(jobs_as_text(table, {500, 3}, true));
  for (std::string line; std::getline(text, line);) {
    BOOST_TEST(report::columns_of(line) <= 100u, line);
    BOOST_TEST(line.find('\x1b') == std::string::npos);
  }
}
