// The report on one screen.
#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "findings/findings.h"
#include "pages/pages.h"
#include "pages/table.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/record/random_record.h"

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
  for (const std::string& line : lines)  // that of the details is as long as the file's name
    BOOST_TEST((columns_of(line) <= screen_columns || line.starts_with("Details ")), line);
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

// Each process sends half of the bytes, in 50 messages, to the other node.
Record run_with_messages(double share, std::uint64_t bytes) {
  Record record = timed_run(share);
  record.traffic.processes = 2;
  record.traffic.messages = 100;
  record.traffic.bytes = bytes;
  record.traffic.between_nodes = {bytes, bytes};
  record.traffic.leaving = {{0, {bytes / 2, bytes / 2}}, {1, {bytes / 2, bytes / 2}}};
  return record;
}

// Makes `made` communicators a process by a call that takes all of its time in MPI, at the place of the time.
Record run_with_communicators(double share) {
  Record record = timed_run(0);
  const auto ns = static_cast<std::uint64_t>(share * 10'000'000'000);
  CommunicatorSite site{.communicators = 100, .creation_ns = 2 * ns, .symbol = "main"};
  PlaceTime place{.calls = 200, .symbol = "main"};
  for (const std::uint64_t rank : {0, 1}) {
    site.made.add(100);
    record.calls["MPI_Comm_dup"].add(100);
    record.calls["MPI_Comm_dup"].time_ns.add(ns, rank);
    place.time_ns.add(ns, rank);
    record.own.wall_ns.add(100'000'000'000);
  }
  record.communicators[{"MPI_Comm_dup", {{"/opt/app", 0x99}}}].merge(site);
  record.times.places[{{"MPI_Comm_dup", {{"/opt/app", 0x99}}}, {}}].merge(place);
  return record;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_line_of_the_details_can_be_pasted) {
  const std::string directory(300, 'd');
  BOOST_TEST(lines_of(to_screen(Record{}, directory + "/a b-1.json")).back() ==
             "Details       marshal report --details '" + directory + "/a b-1.json'");
}

BOOST_AUTO_TEST_CASE(any_record_fits_one_screen) {
  RandomRecords random(static_cast<unsigned>(marshal::property_seed()));
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

BOOST_AUTO_TEST_CASE(nothing_known_fits_one_screen) { expect_one_screen(to_screen(Record{})); }

BOOST_AUTO_TEST_CASE(the_time_line_names_share_rank_and_calls) {
  const std::string text = to_screen(timed_run(0.4));
  for (const char* part : {"30 % in MPI (rank 1: 40 %): MPI_Waitall 30 %", "load balance 0.88, communication 0.80"})
    BOOST_TEST(contains(text, part), part << " is missing from\n" << text);
}

BOOST_AUTO_TEST_CASE(the_time_line_tells_waiting_from_moving_as_far_as_that_is_known) {
  Record record = timed_run(0.8);  // 12 of 20 s in MPI
  PlaceTime place;
  place.arrivals = {.samples = 40, .waiting_ns = 5'000'000'000, .moving_ns = 3'000'000'000};
  const PlaceKey key{{"MPI_Allreduce", {{"/opt/app", 0x99}}}, {"MPI_COMM_WORLD", {}}};
  record.times.places[key].merge(place);
  BOOST_TEST(contains(to_screen(record), "60 % in MPI (rank 1: 80 %), 25 % waiting, 15 % moving, 20 % not told"),
             to_screen(record));
  BOOST_TEST(contains(to_text(record, {}), "60 % of the run, 25 % waiting, 15 % moving, 20 % not told apart;"));
}

BOOST_AUTO_TEST_CASE(what_to_do_claims_no_more_than_the_time_measured_there) {
  const Record record = run_with_messages(0.4, std::uint64_t{1} << 40);
  for (const Finding& finding : what_to_do(record).findings) {
    BOOST_TEST(finding.most_seconds <= 3.0001, finding.subject << ": " << finding.most_seconds);
    // No order makes the run shorter than rank 0 works.
    if (finding.subject == "traffic") BOOST_TEST(contains(finding.what, "At most 2 s to gain, 20 % of the run."));
  }
}

BOOST_AUTO_TEST_CASE(findings_of_less_than_a_hundredth_of_the_run_are_one_line) {
  const Record record = run_with_messages(0.004, std::uint64_t{1} << 40);
  const WhatToDo what = what_to_do(record);
  BOOST_TEST(what.findings.empty());
  BOOST_TEST(what.rest == "Less than 1 % of the run each, at most: traffic (0.20 %).");
}

BOOST_AUTO_TEST_CASE(what_to_do_is_ordered_by_seconds) {
  Record record = run_with_communicators(0.5);
  const Record sent = run_with_messages(0.3, std::uint64_t{1} << 40);
  record.traffic = sent.traffic;
  record.calls["MPI_Waitall"].merge(*sent.calls.find("MPI_Waitall"));
  record.times.run = {};
  record.times.run.add(10'000'000'000, 6'500'000'000, 0);
  record.times.run.add(10'000'000'000, 8'000'000'000, 1);
  const WhatToDo what = what_to_do(record);
  BOOST_TEST(what.findings.size() == WhatToDo::most);
  for (std::size_t i = 1; i < what.findings.size(); ++i)
    BOOST_TEST(what.findings[i - 1].most_seconds >= what.findings[i].most_seconds);
}

// A run of a few bytes is not slow because of them.
BOOST_AUTO_TEST_CASE(another_order_gains_no_more_than_the_slowest_network_takes_for_the_bytes) {
  const WhatToDo what = what_to_do(run_with_messages(0.6, 8));
  for (const Finding& finding : what.findings) BOOST_TEST(finding.subject != "traffic");
  BOOST_TEST(contains(what.rest, "traffic (0.50 %)"), what.rest);
}

// The demo's halo behind 200 Mbit/s gained more than Gigabit Ethernet takes for its bytes.
BOOST_AUTO_TEST_CASE(no_rate_of_the_network_is_assumed_for_what_an_order_gains) {
  for (const std::uint64_t bytes : {std::uint64_t{20} << 20, std::uint64_t{60} << 20, std::uint64_t{1} << 40}) {
    const WhatToDo what = what_to_do(run_with_messages(0.6, bytes));
    BOOST_TEST(contains(what.findings.front().what, "At most 3 s to gain"), what.findings.front().what);
  }
  // Nor for collectives, whose way is the MPI library's affair.
  Record record = run_with_messages(0.6, 8);
  record.traffic.collectives["MPI_Alltoall"].add({2, 1 << 20}, {20, 20 << 20});
  BOOST_TEST(contains(what_to_do(record).findings.front().what, "At most 3 s to gain"));
  // The thread that began MPI may leave it to others.
  record.times.other_threads_ns.add(10'000'000'000);
  record.calls["MPI_Waitall"].other_threads_ns = 20'000'000'000;
  BOOST_TEST(what_to_do(record).findings.front().most_seconds > 9);
}

BOOST_AUTO_TEST_CASE(where_the_time_went_is_a_line_and_nothing_to_do) {
  const Record record = timed_run(0.4);
  BOOST_TEST(contains(to_screen(record), "              longest place: MPI_Waitall at halo.c:88, 30 % (rank 1: 40 %)"),
             to_screen(record));
  for (const Finding& finding : findings(record)) BOOST_TEST(!contains(finding.what, "MPI_Waitall"), finding.what);
  BOOST_TEST(!contains(to_screen(record), "--details` has"), to_screen(record));
  Record even = record;
  even.times.run = {};
  for (const std::uint64_t rank : {0, 1}) even.times.run.add(10'000'000'000, 3'000'000'000, rank);
  BOOST_TEST(contains(to_screen(even), "To do         Nothing known."), to_screen(even));
  // The places that are not kept apart took longer: nobody knows which took most.
  Record many = record;
  PlaceTime other;
  other.time_ns.add(9'000'000'000, 0);
  many.times.places.fold(other);
  BOOST_TEST(!contains(to_screen(many), "longest place"), to_screen(many));
}

BOOST_AUTO_TEST_CASE(bytes_of_collectives_are_said_apart_from_messages) {
  Record record = run_with_messages(0.4, 144 << 10);
  record.traffic.collectives["MPI_Alltoall"].add({2, 1 << 20}, {50, 50 << 20});
  record.traffic.collectives["MPI_Allreduce"].add({2, 8}, {150, 1200});
  BOOST_TEST(
      contains(to_screen(record), "Traffic       144 KiB in 100 messages, 100 % left its node; 50 MiB handed to"),
      to_screen(record));
  BOOST_TEST(contains(to_screen(record), "50 MiB handed to collectives in 200"), to_screen(record));
  record.traffic.messages = record.traffic.bytes = 0;
  record.traffic.between_nodes = {};
  BOOST_TEST(contains(to_screen(record), "Traffic       0 B in 0 messages; 50 MiB handed to collectives in 200 calls"),
             to_screen(record));
}

BOOST_AUTO_TEST_CASE(messages_to_another_job_have_their_bytes) {
  Record record = timed_run(0.4);
  record.traffic.processes = 2;
  record.traffic.foreign_messages = 3;
  record.traffic.foreign_bytes = 12 << 10;
  BOOST_TEST(contains(to_screen(record), "0 B in 0 messages; 12 KiB in 3 messages to other jobs"), to_screen(record));
}

BOOST_AUTO_TEST_CASE(a_full_table_has_more_places_than_it_has_rows) {
  Record record = timed_run(0.4);
  for (std::uint64_t k = 0; k < 384; ++k) {
    CommunicatorSite& site = record.communicators[{"MPI_Comm_dup", {{"/opt/app", k}}}];
    CommunicatorSite one{.communicators = 5};
    one.made.add(5);
    site.merge(one);
    if (k == 199) BOOST_TEST(contains(to_screen(record), "1000 communicators made at 200 places"), to_screen(record));
  }
  BOOST_TEST(contains(to_screen(record), "1920 communicators made at more than 256 places"), to_screen(record));
}

BOOST_AUTO_TEST_CASE(a_place_that_makes_communicators_is_one_finding_with_one_share) {
  const WhatToDo what = what_to_do(run_with_communicators(0.3));
  BOOST_REQUIRE(what.findings.size() == 1u);
  BOOST_TEST(what.findings.front().what ==
             "30 % of the run goes into making communicators by MPI_Comm_dup at main. At most 3 s to gain.");
}

BOOST_AUTO_TEST_CASE(no_finding_claims_more_than_the_time_in_its_calls) {
  Record record = run_with_communicators(0.3);
  // The creation was measured round a call that the times of calls know to be shorter.
  CommunicatorSite more{.creation_ns = 90'000'000'000};
  record.communicators[{"MPI_Comm_dup", {{"/opt/app", 0x99}}}].merge(more);
  BOOST_REQUIRE(!what_to_do(record).findings.empty());
  BOOST_TEST(what_to_do(record).findings.front().most_seconds <= 3.0001);
  RandomRecords random(static_cast<unsigned>(marshal::property_seed()));
  for (int i = 0; i < 200; ++i) {
    record = random.record(0, 1 + random.number(40));
    for (std::uint64_t rank = 1; rank < 5; ++rank) merge(record, random.record(rank, 1 + random.number(40)));
    const double run = record.times.run.run_ns.mean() * 1e-9;
    for (const Finding& finding : what_to_do(record).findings) {
      BOOST_TEST(finding.most_seconds <= 1.0001 * run);
      std::size_t shares = 0;
      for (std::size_t at = 0; (at = finding.what.find(" of the run", at)) != std::string::npos; ++at) ++shares;
      BOOST_TEST(shares <= 1, finding.what);
    }
  }
}

// Neither the screen nor its grids keep it to themselves that another run helps.
BOOST_AUTO_TEST_CASE(a_grid_that_the_next_run_places_says_so_beside_larger_findings) {
  Record record = run_with_messages(0.6, std::uint64_t{1} << 30);
  Grid grid{.made = 1, .processes = 16, .nodes = 2};
  grid.before = {.jsum = 24, .jmax = 8, .on_node = {16, 24, 1, 2}, .off_node = {16, 24, 1, 2}};
  grid.after = grid.before;
  grid.weights = "unknown";
  grid.reason = "it is not known yet what goes along each dimension";
  grid.jsum_by_mapper = {{"given", 24}, {"search", 16}};
  grid.traffic = {.processes = 16, .messages = 96, .bytes = 1 << 20};
  record.traffic.profile = "/home/me/.cache/marshal/heat.profile";
  record.grids[{{"MPI_Cart_create", {}}, {4, 4}, {0, 0}, "best", false}].merge(grid);
  BOOST_TEST(contains(to_screen(record), "4x4: in the order given; run it again"), to_screen(record));
  record.own.wall_ns = {2, 20'000'000'000, 10'000'000'000, 10'000'000'000};
  record.own.init_cpu_ns = record.own.inside_cpu_ns = record.own.finalize_cpu_ns = {2, 4'000'000'000, 0, 4'000'000'000};
  BOOST_TEST(contains(what_to_do(record).rest, "More, see the details: "), what_to_do(record).rest);
}

BOOST_AUTO_TEST_CASE(both_findings_at_once_are_those_of_each) {
  const Record record = run_with_messages(0.6, std::uint64_t{1} << 40);
  const BothFindings both = both_findings(record);
  BOOST_TEST((both.findings == findings(record)));
  BOOST_TEST((both.what_to_do.findings == what_to_do(record).findings));
  BOOST_TEST(both.what_to_do.rest == what_to_do(record).rest);
}

// Each in three lines at most, in short sentences, and without the words of the papers.
BOOST_AUTO_TEST_CASE(findings_on_grids_are_short) {
  for (const char* kind : {"worse", "report", "waits", "waits for a profile", "not allowed", "off", "keeps", "gpu"}) {
    const std::string which = kind;
    Record record = run_with_messages(0.6, std::uint64_t{1} << 40);
    record.times.places = {};
    Grid grid{.made = 1, .processes = 4096, .nodes = 256};
    grid.before = {
        .jsum = 32'200'000, .jmax = 8'000'000, .on_node = {4096, 9000, 1, 4}, .off_node = {4096, 3000, 1, 4}};
    grid.after = grid.before;
    grid.symbol = "hydro_godunov.f90:1718 in exchange_halos";
    grid.weights = "unknown";
    grid.traffic = {.processes = 4096, .messages = 1000, .bytes = 2'000'000'000'000};
    grid.traffic.between_nodes = {1'900'000'000'000, 1'100'000'000'000};
    GridKey key{{"MPI_Cart_create", {{"/opt/app", 1}}}, {16, 16, 16}, {0, 0, 0}, "off", false};
    if (which == "worse") {
      key.moved = true, grid.moved_ranks = 3000, grid.after.jsum = 20'000'000;
    } else if (which == "report") {
      key.mapper = "search", grid.after.jsum = 20'000'000;
    } else if (which.starts_with("waits")) {
      key.mapper = "best", grid.jsum_by_mapper = {{"given", 32'200'000}, {"search", 16'000'000}};
      if (which == "waits") record.traffic.profile = "/home/me/.cache/marshal/app.profile";
    } else if (which == "not allowed") {
      grid.reason = "the program did not allow reordering";
    } else if (which == "off") {
      grid.reason = "MARSHAL_CART=off";
    } else {
      grid.reason = which == "gpu" ? "its processes could open a GPU" : "a run of it died, and moved ranks";
    }
    record.grids[key].merge(grid);
    const WhatToDo what = what_to_do(record);
    const auto found = std::find_if(what.findings.begin(), what.findings.end(),
                                    [](const Finding& finding) { return finding.subject == "grids"; });
    BOOST_REQUIRE_MESSAGE(found != what.findings.end(), which);
    const std::string text = found->what + " -> " + found->action;
    BOOST_TEST(wrap(text, screen_columns - 14).size() <= 3u, which << ": " << text);
    std::size_t words = 0;
    for (const char letter : text) {
      words = letter == '.' || letter == ';' ? 0 : words + (letter == ' ' ? 1 : 0);
      BOOST_TEST(words <= 25u, which << ": " << text);
    }
    BOOST_TEST(!contains(to_screen(record), "Jsum"));
  }
}
