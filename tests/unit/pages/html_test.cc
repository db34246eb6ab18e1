#include <fmt/format.h>

#include <boost/test/unit_test.hpp>

#include "base/printable_text.h"
#include "pages/pages.h"
#include "pages/table.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/record/random_record.h"

using namespace marshal::report;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Every element that is opened is closed in order; of those that HTML leaves open, the page has only meta.
bool well_nested(const std::string& html) {
  std::vector<std::string> open;
  const std::string body = html.substr(0, html.find("<script>"));
  for (std::size_t at = body.find('<'); at != std::string::npos; at = body.find('<', at + 1)) {
    const bool closes = body[at + 1] == '/';
    const std::size_t begin = at + (closes ? 2 : 1);
    const std::size_t name_end = body.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789", begin);
    const std::size_t end = body.find('>', begin);
    if (name_end == begin || end == std::string::npos) continue;  // no tag
    const std::string name = body.substr(begin, name_end - begin);
    if (name == "meta" || body[end - 1] == '/') continue;
    if (!closes) {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    }
  }
  return open == std::vector<std::string>{"html", "body"};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_page_of_any_record_is_well_nested_and_loads_nothing) {
  RandomRecords random(marshal::property_seed());
  for (int round = 0; round < 5; ++round) {
    Record record;
    for (std::uint64_t rank = 0; rank < 30; ++rank) merge(record, random.record(rank, round % 2 == 0 ? 4 : 60));
    const std::string html = to_html(record);
    BOOST_TEST(well_nested(html));
    for (const char* outside : {"http:", "https:", "src=", "href=", "@import", "url("})
      BOOST_TEST(!contains(html, outside), outside);
  }
  BOOST_TEST(well_nested(to_html(Record{})));
}

BOOST_AUTO_TEST_CASE(nothing_done_is_shown_as_zero) {
  const std::string html = to_html(Record{});
  for (const char* part :
       {"<h2>Communicators</h2>\n<p>0 made.", "<h2>Grids</h2>\n<p>0 made.", "<h2>Datatypes</h2>\n<p>0 committed."})
    BOOST_TEST(contains(html, part), part);
}

BOOST_AUTO_TEST_CASE(names_from_outside_cannot_become_markup) {
  Record record;
  const std::string evil = "<script>alert('1')</script>\"&";
  record.job.program = record.job.host = record.job.mpi = evil;
  record.job.arguments = {evil};
  record.job.settings = {{evil, evil}};
  record.ranks = RankSet(0);
  record.warn(evil);
  record.communicators[{evil, {{"/" + evil, 1}}}].models[evil] = 1;
  record.grids[{{evil, {}}, {2}, {0}, evil, true}].made = 1;
  record.datatypes[{evil, 1}].plans[evil] = 1;
  record.counters[evil].unavailable = evil;
  record.calls[evil].calls = 1;
  const std::string html = to_html(record);
  BOOST_TEST(!contains(html, "<script>alert"));
  BOOST_TEST(well_nested(html));
}

BOOST_AUTO_TEST_CASE(a_page_has_only_plain_characters) {
  Record record;
  record.job.program = record.job.mpi = "a\x1b\u009b\u202e\uffff\xff/b";
  record.ranks = RankSet(0);
  record.calls[record.job.program].calls = 1;
  const std::string html = to_html(record);
  BOOST_TEST(contains(html, "<h1>a\\x1b\\x9b\\u202e\\uffff\\xff/b</h1>"));
  BOOST_TEST(marshal::printable_lines(html) == html);
  BOOST_TEST(contains(html, "\nNot used      "));  // the screen has lines
}

BOOST_AUTO_TEST_CASE(a_job_of_a_million_ranks_stays_under_two_megabytes) {
  RandomRecords random(6);
  Record record;
  record.job.ranks = 1 << 20;
  record.job.nodes = 1 << 14;
  record.job.project_ranks = 1 << 20;
  record.ranks = RankSet::from_intervals({{0, (1 << 20) - 1}});
  for (int i = 0; i < 600; ++i) record.communicators[random.site(100000)].merge(random.communicator_site());
  for (std::uint64_t g = 0; g < most_grids; ++g) {
    Grid grid{.made = 1, .processes = 1 << 20, .nodes = 1 << 14};
    for (std::uint64_t run = 0; run < 5000; ++run) grid.before.node_runs.emplace_back(run % 16384, 200);
    grid.after = grid.before;
    record.grids[{{"MPI_Cart_create", {{"/opt/app", g}}}, {1000, 1000}, {1, 1}, "search", true}].merge(grid);
  }
  for (std::uint64_t d = 0; d < most_layouts; ++d)
    record.datatypes[{fmt::format("layout {}", d), d}].merge(random.layout());
  const std::string html = to_html(record);
  BOOST_TEST(html.size() < 2u << 20);
  BOOST_TEST(contains(html, "Not drawn, to keep this page small."));
  BOOST_TEST(contains(html, "others"));
}

BOOST_AUTO_TEST_CASE(a_grid_is_drawn_if_all_its_cells_are_known) {
  for (const bool all : {true, false}) {
    Record record;
    Grid grid{.made = 1, .processes = 6, .nodes = 2};
    grid.before.node_runs = {{0, 4}, {1, all ? 2 : 1}};
    grid.after = grid.before;
    record.grids[{{"MPI_Cart_create", {}}, {2, 3}, {0, 0}, "search", true}].merge(grid);
    BOOST_TEST(contains(to_html(record), "<svg class=\"grid\"") == all);
  }
}

BOOST_AUTO_TEST_CASE(bars_and_pictures_stand_extreme_values) {
  Record record;
  record.job.ranks = 2;
  record.ranks = RankSet::from_intervals({{0, 1}});
  record.times.run.add(1, UINT64_MAX, 0);
  record.times.bars[0].add(UINT64_MAX);
  record.times.bars[1].add(0);
  record.calls["MPI_Barrier"].time_ns.add(UINT64_MAX, 0);
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 60})
    record.communicators[{"MPI_Comm_dup", {{"/opt/app", bytes}}}].marshal.add(bytes, 0);
  record.datatypes[{"apart", 1}].picture = {{INT64_MIN, 1}, {INT64_MAX - 8, 8}};
  record.datatypes[{"nothing", 2}].picture = {{0, 0}};
  const std::string html = to_html(record);
  BOOST_TEST(well_nested(html));
  for (const char* wrong : {"nan", "inf%", "inf ", "NaN"}) BOOST_TEST(!contains(html, wrong), wrong);
}

BOOST_AUTO_TEST_CASE(the_upper_part_of_a_bar_is_waiting) {
  Record record;
  record.job.ranks = 2;
  record.times.run.add(100, 40, 0);
  record.times.run.add(100, 10, 1);
  record.times.bars[0].add(40);
  record.times.bars[1].add(10);
  record.times.waiting[0].add(30);
  const std::string html = to_html(record);
  BOOST_TEST(html.find("<b style=\"height:40%\"><i style=\"height:25%\"></i></b>"
                       "<b style=\"height:10%\"><i style=\"height:100%\"></i></b>") != html.npos);
}

BOOST_AUTO_TEST_CASE(bars_of_a_table_share_their_scale) {
  Table table({number_column("one", {}, 1), number_column("other", {}, 1), number_column("third", {}, 2)});
  table.add({Cell(50, "50 B"), Cell(200, "200 B"), Cell(3, "3")});
  table.add({"unknown", Cell(0, "0 B"), Cell(-1, "-1")});
  const std::string html = table.html();
  BOOST_TEST(contains(html, ">50 B<i style=\"width:25%\"></i></td><td data-v=\"200\">200 B<i style=\"width:100%\">"));
  BOOST_TEST(contains(html, ">3<i style=\"width:100%\">"));
  BOOST_TEST(contains(html, ">unknown</span></td><td data-v=\"0\">0 B</td><td data-v=\"-1\">-1</td>"));
}

BOOST_AUTO_TEST_CASE(a_type_that_nobody_read_has_no_picture) {
  Record record;
  record.datatypes[{"vector: 400 B in 20392 B", 0}].commits = 1;
  BOOST_TEST(!contains(to_html(record), "<svg class=\"layout\""));
  record.datatypes[{"2 x 8 B every 16 B", 1}].picture = {{0, 8}, {16, 8}};
  BOOST_TEST(contains(to_html(record), "<svg class=\"layout\""));
}
