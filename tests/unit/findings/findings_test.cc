#include "findings/findings.h"

#include <fmt/format.h>

#include <boost/test/unit_test.hpp>

#include "tests/unit/property_seed.h"
#include "tests/unit/record/random_record.h"

using namespace marshal::report;
using Verdict = Finding::Verdict;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Record job(std::uint64_t ranks, std::uint64_t nodes) {
  Record record;
  record.job.ranks = ranks;
  record.job.nodes = nodes;
  record.job.project_ranks = 1 << 20;
  record.ranks = RankSet::from_intervals({{0, ranks - 1}});
  for (std::uint64_t rank = 0; rank < ranks; ++rank) record.own.wall_ns.add(1'000'000'000);
  return record;
}

// The 4 x 4 grid on 4 nodes of 4: in the order given a row is a node.
Grid four_by_four(double jsum_after) {
  Grid grid{.made = 1, .processes = 16, .nodes = 4};
  grid.before = {.jsum = 24, .jmax = 8, .on_node = {16, 24, 1, 2}, .off_node = {16, 24, 1, 2}};
  grid.after = grid.before;
  grid.after.jsum = jsum_after;
  grid.after.off_node.sum = static_cast<std::uint64_t>(jsum_after);
  grid.weights = "equal";
  grid.symbol = "heat.c:17 in main";
  return grid;
}

const Finding& of(const std::vector<Finding>& all, const std::string& subject) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Finding& finding) { return finding.subject == subject; });
  BOOST_REQUIRE(found != all.end());
  return *found;
}

// 16 processes on 4 nodes sent 1000 messages, part of the bytes between nodes, in the order given.
Record job_that_sent(std::uint64_t bytes, std::uint64_t between_nodes) {
  Record record = job(16, 4);
  record.traffic.processes = 16;
  record.traffic.messages = 1000;
  record.traffic.bytes = bytes;
  record.traffic.between_nodes = {between_nodes, between_nodes};
  return record;
}

}  // namespace

BOOST_AUTO_TEST_CASE(any_record_gives_three_to_six_findings_each_complete_and_what_can_be_done_first) {
  RandomRecords random(marshal::property_seed());
  for (int round = 0; round < 50; ++round) {
    Record record;
    for (std::uint64_t rank = 0; rank < random.number(20); ++rank) merge(record, random.record(rank, 4));
    const std::vector<Finding> all = findings(record);
    BOOST_TEST(all.size() >= fewest_findings);
    BOOST_TEST(all.size() <= most_findings);
    for (const Finding& finding : all) {
      for (const std::string* part : {&finding.subject, &finding.what, &finding.evidence, &finding.action})
        BOOST_TEST(!part->empty(), finding.what);
      for (const char* nonsense : {"nan", "inf", "-nan"}) BOOST_TEST(!contains(finding.evidence, nonsense));
      if (finding.verdict == Verdict::nothing) BOOST_TEST(contains(finding.action, "Nothing to gain"), finding.action);
    }
    BOOST_TEST(
        std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.verdict < b.verdict; }));
  }
  BOOST_TEST(findings(Record{}).size() >= fewest_findings);
}

BOOST_AUTO_TEST_CASE(a_moved_grid_is_a_gain_with_the_pairs_counted_and_the_time_called_predicted) {
  Record record = job(16, 4);
  Grid grid = four_by_four(16);
  grid.moved_ranks = 8;
  grid.lower_bound = 16;
  grid.before.predicted_exchange_s = 3e-5;
  grid.after.predicted_exchange_s = 2e-5;
  record.grids[{{"MPI_Cart_create", {}}, {4, 4}, {0, 0}, "nodecart", true}].merge(grid);
  const Finding found = of(findings(record), "grids");
  BOOST_TEST((found.verdict == Verdict::gained));
  BOOST_TEST(found.what ==
             "8 of 16 ranks of the 4x4 grid at heat.c:17 in main moved; 16 messages of an exchange between nodes in "
             "place of 24 (predicted).");
  BOOST_TEST(
      found.evidence ==
      "In the order given, of the 48 messages of an exchange with all neighbours, 24 go to another node; in the order "
      "in force, 16. Weighted (Jsum): 24 -> 16. The busiest node (Jmax): 8 -> 8. All faces were taken as equally "
      "large. Predicted, assuming equal faces, not measured: an exchange with all neighbours takes 33 % less time.");
  BOOST_TEST(contains(found.action, "Nothing is left to gain"));
  BOOST_TEST(contains(found.action, "MARSHAL_CART_WEIGHTS=1,8"));
}

BOOST_AUTO_TEST_CASE(a_grid_placed_by_what_was_learned_names_the_run_that_taught_it) {
  Record record = job(16, 4);
  Grid grid = four_by_four(16);
  grid.moved_ranks = 8;
  grid.before.predicted_exchange_s = 3e-5;
  grid.after.predicted_exchange_s = 2e-5;
  grid.weights = "learned";
  grid.learned_from = "job 4711, 2026-11-22T18:16:27+00:00";
  record.grids[{{"MPI_Cart_create", {}}, {4, 4}, {0, 0}, "search", true}].merge(grid);
  const Finding found = of(findings(record), "grids");
  BOOST_TEST(contains(found.evidence, "Predicted, for the bytes that an earlier run measured, not measured"));
  BOOST_TEST(contains(found.evidence, "an earlier run sent (job 4711, 2026-11-22T18:16:27+00:00)"));
  BOOST_TEST(!contains(found.evidence + found.action, "weights are bytes"));
  BOOST_TEST(contains(found.evidence, "So Jsum is not in bytes."));
}

BOOST_AUTO_TEST_CASE(a_grid_whose_weights_are_not_known_yet_waits_for_them_and_says_so) {
  Record record = job(16, 4);
  Grid grid = four_by_four(24);
  grid.weights = "unknown";
  grid.jsum_by_mapper = {{"given", 24}, {"search", 16}};
  grid.traffic.processes = 16;
  grid.traffic.messages = 96;
  grid.traffic.bytes = 4 << 20;
  grid.traffic.between_nodes = {1 << 20, 1 << 20};
  record.traffic.profile = "/home/me/.cache/marshal/heat.profile";
  record.grids[{{"MPI_Cart_create", {}}, {4, 4}, {0, 0}, "best", false}].merge(grid);
  Finding found = of(findings(record), "grids");
  BOOST_TEST((found.verdict == Verdict::act));
  BOOST_TEST(contains(found.what, "keeps the order given: what goes along each dimension was not known"));
  BOOST_TEST(contains(found.evidence, "For equal faces another order has a Jsum of 16"));
  BOOST_TEST(contains(found.evidence, "Measured: 1 MiB between nodes"));
  BOOST_TEST(contains(found.action, "Run it again"));
  BOOST_TEST(contains(found.evidence, "MARSHAL_CART_WEIGHTS=1,8"));
  record.traffic.profile.clear();
  found = of(findings(record), "grids");
  BOOST_TEST(!contains(found.action, "Run it again"));
  BOOST_TEST(contains(found.action, "MARSHAL_PROFILE"));
}

BOOST_AUTO_TEST_CASE(a_moved_grid_whose_bytes_between_nodes_grew_is_no_gain) {
  Record record = job(16, 4);
  Grid grid = four_by_four(16);
  grid.moved_ranks = 8;
  grid.before.predicted_exchange_s = 3e-5;
  grid.after.predicted_exchange_s = 2e-5;
  grid.traffic.processes = 16;
  grid.traffic.messages = 96;
  grid.traffic.between_nodes = {5 << 20, 1 << 20};
  grid.traffic.leaving = {{0, {2 << 20, 1 << 19}}, {1, {3 << 20, 1 << 19}}};
  record.grids[{{"MPI_Cart_create", {}}, {4, 4}, {0, 0}, "search", true}].merge(grid);
  const Finding found = of(findings(record), "grids");
  BOOST_TEST((found.verdict == Verdict::act));
  BOOST_TEST(contains(found.what, "5 MiB between nodes in place of 1 MiB (measured)"));
  BOOST_TEST(contains(found.evidence,
                      "Measured: 5 MiB between nodes, 3 MiB from the busiest; in the order given 1 MiB, 512 KiB."));
  BOOST_TEST(!contains(found.evidence, "less time"));
  BOOST_TEST(!contains(found.action, "Nothing is left to gain"));
  BOOST_TEST(contains(found.action, "MARSHAL_CART=off keeps the order given."));
  record.traffic.profile = "/home/me/.cache/marshal/heat.profile";
  grid.traffic.bytes = 6 << 20;
  grid.weights = "learned";
  Record again = record;
  again.grids = {};
  again.grids[{{"MPI_Cart_create", {}}, {4, 4}, {0, 0}, "search", true}].merge(grid);
  BOOST_TEST(of(findings(again), "grids").action == "Run it again: the next run keeps the order given.");
}

BOOST_AUTO_TEST_CASE(the_bytes_that_left_their_nodes_come_with_the_command_that_works_out_a_better_order) {
  Record record = job_that_sent(100 << 20, 63 << 20);
  record.traffic.leaving = {{0, {63 << 20, 63 << 20}}};
  record.traffic.file = "app.traffic";
  const Finding found = of(findings(record), "traffic");
  BOOST_TEST((found.verdict == Verdict::act));
  BOOST_TEST(found.what == "1000 messages carry 100 MiB, 63 MiB of it between nodes.");
  BOOST_TEST(found.evidence == "Measured: 63 MiB between nodes, 63 MiB from the busiest.");
  BOOST_TEST(contains(found.action, "marshal order app.traffic"));
  record.traffic.file = "a b;$(reboot).traffic";  // a shell may be given it
  BOOST_TEST(contains(of(findings(record), "traffic").action, "`marshal order 'a b;$(reboot).traffic'`"));
}

BOOST_AUTO_TEST_CASE(another_order_is_named_with_what_it_would_send_once_it_was_tried) {
  Record record = job_that_sent(100 << 20, 63 << 20);
  record.traffic.file = "app.traffic";
  record.traffic.tried_orders = 1;
  record.traffic.tried_order_bytes = 31 << 20;
  BOOST_TEST(of(findings(record), "traffic").action ==
             "`marshal order app.traffic`: the order that was tried sends 31 MiB between nodes (predicted).");
  record.traffic.tried_order_bytes = 63 << 20;
  Finding found = of(findings(record), "traffic");
  BOOST_TEST((found.verdict == Verdict::nothing));
  BOOST_TEST(!contains(found.action, "marshal order"));
  // The order was found without the collectives.
  record.traffic.tried_order_bytes = 31 << 20;
  record.traffic.collectives["MPI_Alltoall"].add({4, 1 << 20}, {40, 40 << 20});
  found = of(findings(record), "traffic");
  BOOST_TEST((found.verdict == Verdict::nothing));
  BOOST_TEST(!contains(found.action, "marshal order"));
}

BOOST_AUTO_TEST_CASE(what_the_mpi_library_sends_for_files_is_named_as_not_counted) {
  Record record = job_that_sent(1 << 20, 1 << 20);
  BOOST_TEST(!contains(of(findings(record), "traffic").evidence, "not counted"));
  record.calls["MPI_File_write_at"].add(2);
  BOOST_TEST(!contains(of(findings(record), "traffic").evidence, "not counted"));
  record.calls["MPI_File_write_at_all"].add(3);
  BOOST_TEST(contains(of(findings(record), "traffic").evidence,
                      "What the MPI library sends inside 3 collective calls on files is not counted."));
}

BOOST_AUTO_TEST_CASE(a_grid_that_may_not_be_moved_comes_with_the_setting_that_tells_what_it_would_gain) {
  Record record = job(16, 4);
  Grid grid = four_by_four(24);
  grid.reason = "the program did not allow reordering";
  record.grids[{{"MPI_Cart_create", {}}, {4, 4}, {0, 0}, "off", false}].merge(grid);
  const Finding found = findings(record).front();
  BOOST_TEST((found.verdict == Verdict::act));
  BOOST_TEST(contains(found.what, "does not let MPI reorder the 4x4 grid"));
  BOOST_TEST(contains(found.evidence, "of the 48 messages"));
  BOOST_TEST(contains(found.action, "MARSHAL_CART=report"));
}

// As LAMMPS on two nodes: no order of its ranks is better.
BOOST_AUTO_TEST_CASE(no_setting_is_said_to_bring_what_no_order_has) {
  for (const char* reason : {"the program did not allow reordering", "MARSHAL_CART=off", "a run of it died"}) {
    Record record = job_that_sent(100 << 20, 63 << 20);
    Grid grid = four_by_four(24);
    grid.reason = reason;
    record.grids[{{"MPI_Cart_create", {}}, {4, 4}, {0, 0}, "off", false}].merge(grid);
    BOOST_TEST((of(findings(record), "grids").verdict == Verdict::act), reason);
    record.traffic.tried_orders = 1;
    record.traffic.tried_order_bytes = 63 << 20;
    const Finding found = of(findings(record), "grids");
    BOOST_TEST((found.verdict == Verdict::nothing), reason);
    BOOST_TEST(found.action ==
               "Nothing to gain is known: no order of the ranks that was tried sends clearly less between nodes.");
    record.traffic.tried_order_bytes = 31 << 20;
    BOOST_TEST((of(findings(record), "grids").verdict == Verdict::act), reason);
  }
}

BOOST_AUTO_TEST_CASE(a_grid_that_keeps_its_ranks_says_why) {
  Record record = job(16, 4);
  Grid grid = four_by_four(24);
  grid.weights = "unknown";
  grid.reason = "a run of it died";
  record.grids[{{"MPI_Cart_create", {}}, {4, 4}, {0, 0}, "off", false}].merge(grid);
  const Finding found = findings(record).front();
  BOOST_TEST((found.verdict == Verdict::act));
  BOOST_TEST(contains(found.what, "keeps its ranks."));
  BOOST_TEST(contains(found.evidence, "The reason: a run of it died."));
  BOOST_TEST(contains(found.action, "MARSHAL_CART_MOVE=ranks"));
}

BOOST_AUTO_TEST_CASE(a_grid_that_was_only_reported_on_comes_with_the_setting_that_moves_it) {
  Record record = job(16, 4);
  record.grids[{{"MPI_Cart_create", {}}, {4, 4}, {0, 0}, "nodecart", false}].merge(four_by_four(16));
  BOOST_TEST(contains(findings(record).front().action, "MARSHAL_CART=best"));
}

BOOST_AUTO_TEST_CASE(on_one_node_there_is_nothing_to_gain_and_the_finding_says_why) {
  Record record = job(16, 1);
  Grid grid = four_by_four(0);
  grid.before = grid.after;
  grid.before.off_node = {};
  record.grids[{{"MPI_Cart_create", {}}, {4, 4}, {0, 0}, "best", false}].merge(grid);
  const Finding found = of(findings(record), "grids");
  BOOST_TEST((found.verdict == Verdict::nothing));
  BOOST_TEST(found.action == "Nothing to gain: all processes are on one node.");
  BOOST_TEST(of(findings(job(4, 1)), "grids").action == "Nothing to gain: all processes are on one node.");
}

BOOST_AUTO_TEST_CASE(packing_tells_measured_rates_and_calls_what_the_library_would_have_taken_an_estimate) {
  Record record = job(4, 2);
  DatatypeLayout layout;
  layout.commits = 4;
  layout.pack = {.calls = 100,
                 .bytes = 1'000'000'000,
                 .engine_bytes = 1'000'000'000,
                 .timed_bytes = 100'000'000,
                 .timed_ns = 10'000'000,
                 .host_bytes = 1'000'000,
                 .host_ns = 400'000};
  record.datatypes[{"64 x 8 B every 128 B", 1}].merge(layout);
  const Finding found = of(findings(record), "datatypes");
  BOOST_TEST((found.verdict == Verdict::gained));
  BOOST_TEST(
      found.evidence ==
      "Estimated from 95.4 MiB that were timed: 100 ms in all processes, 2.50 % of the run. Both were timed at "
      "layouts of 954 MiB: Marshal's engine at 10 GB/s, the MPI library at 2.5 GB/s. Estimated from that: 300 ms "
      "saved in all processes, 7.50 % of the run.");
  record.job.settings["MARSHAL_PACK"] = "host (environment)";
  BOOST_TEST(contains(of(findings(record), "datatypes").action, "MARSHAL_PACK=auto"));
}

// As a program that packs little at a time: only a sample was timed, and one layout never was.
BOOST_AUTO_TEST_CASE(the_time_of_packing_is_that_of_all_work_not_of_what_was_timed) {
  Record record = job(4, 2);
  DatatypeLayout timed, untimed;
  timed.pack = {.calls = 10, .bytes = 1'000'000, .timed_bytes = 0, .host_bytes = 10'000, .host_ns = 10'000};
  untimed.pack = {.calls = 50'000, .bytes = 3'000'000};
  record.datatypes[{"timed", 1}].merge(timed);
  record.datatypes[{"untimed", 2}].merge(untimed);
  BOOST_TEST(contains(of(findings(record), "datatypes").evidence,
                      "Estimated from 9.77 KiB that were timed: 4 ms in all processes, 0.10 % of the run."));
  Record never = job(4, 2);
  never.datatypes[{"untimed", 2}].merge(untimed);
  BOOST_TEST(contains(of(findings(never), "datatypes").evidence, "Nothing of it was timed."));
}

// The engine is fast with one layout, and the library was timed mostly at another one that is faster still.
BOOST_AUTO_TEST_CASE(engine_and_library_are_compared_at_the_same_layouts) {
  Record record = job(4, 2);
  DatatypeLayout slow, fast;
  slow.pack = {.calls = 10,
               .bytes = 1'000'000,
               .engine_bytes = 1'000'000,
               .timed_bytes = 1'000'000,
               .timed_ns = 500'000,
               .host_bytes = 1'000,
               .host_ns = 1'000};
  fast.pack = {.calls = 10, .bytes = 9'000'000, .host_bytes = 9'000'000, .host_ns = 900'000};
  record.datatypes[{"slow", 1}].merge(slow);
  record.datatypes[{"fast", 2}].merge(fast);
  const Finding found = of(findings(record), "datatypes");
  BOOST_TEST((found.verdict == Verdict::gained));
  BOOST_TEST(contains(found.evidence,
                      "Marshal's engine at 2 GB/s, the MPI library at 1 GB/s. Estimated from that: "
                      "500 us saved"));
}

BOOST_AUTO_TEST_CASE(datatypes_that_are_neither_packed_nor_seen_in_messages_have_nothing_to_gain) {
  Record record = job(4, 2);
  record.datatypes[{"vector: 64 B in 960 B", 0}].commits = 4;
  const Finding found = of(findings(record), "datatypes");
  BOOST_TEST((found.verdict == Verdict::nothing));
  BOOST_TEST(contains(found.action, "packed neither by MPI_Pack nor in messages that Marshal sees"));
}

BOOST_AUTO_TEST_CASE(messages_of_datatypes_are_reported_with_the_time_saved_as_an_estimate) {
  Record record = job(4, 2);
  DatatypeLayout layout;
  layout.commits = 4;
  layout.sent = {.messages = 1000,
                 .fragments = 3000,
                 .bytes = 1'000'000'000,
                 .engine_messages = 900,
                 .engine_fragments = 2700,
                 .engine_bytes = 900'000'000,
                 .timed_bytes = 10'000'000,
                 .timed_ns = 1'000'000,
                 .host_bytes = 1'000'000,
                 .host_ns = 400'000};
  layout.received = layout.sent;  // the same bytes
  record.datatypes[{"64 x 8 B every 128 B", 1}].merge(layout);
  // Types that their place skips are in no layout.
  record.traffic.processes = 4;
  record.traffic.messages = record.traffic.derived_messages = 20'000;
  record.traffic.bytes = record.traffic.derived_bytes = 9'000'000'000;
  const Finding found = of(findings(record), "messages");
  BOOST_TEST((found.verdict == Verdict::gained));
  BOOST_TEST(found.what ==
             "20000 messages of derived datatypes carry 8.38 GiB; Marshal's engine packed 858 MiB of it, 10 %.");
  BOOST_TEST(contains(found.evidence, "Estimated from that: 540 ms saved in all processes"));
  BOOST_TEST(contains(of(findings(record), "datatypes").action, "datatypes travel in messages"));
}

BOOST_AUTO_TEST_CASE(nobody_is_called_faster_where_nobody_was_timed) {
  Record record = job(4, 2);
  DatatypeLayout layout;
  layout.commits = 4;
  layout.sent = {.messages = 10, .fragments = 10, .bytes = 1 << 20};
  layout.pack = {.calls = 10, .bytes = 1 << 20};
  record.datatypes[{"64 x 8 B every 128 B", 1}].merge(layout);
  for (const char* subject : {"messages", "datatypes"}) {
    const Finding found = of(findings(record), subject);
    BOOST_TEST((found.verdict == Verdict::nothing), subject);
    BOOST_TEST(found.action ==
               "Nothing to gain is known: nobody timed the engine and the MPI library at the same datatype.");
  }
  layout.sent = {.engine_bytes = 1 << 20, .timed_bytes = 1000, .timed_ns = 1000, .host_bytes = 1000, .host_ns = 900};
  record.datatypes[{"64 x 8 B every 128 B", 1}].merge(layout);
  BOOST_TEST(contains(of(findings(record), "messages").action, "go to whoever was faster"));
}

BOOST_AUTO_TEST_CASE(time_spent_on_making_communicators_is_named_with_its_call_site) {
  Record record = job(4, 2);
  CommunicatorSite site;
  site.communicators = 1000;
  for (int rank = 0; rank < 4; ++rank) site.made.add(1000), site.ranks.add(4), site.alive.add(0);
  site.creation_ns = 2'000'000'000;
  site.symbol = "solve.c:9 in step";
  record.communicators[{"MPI_Comm_split", {}}].merge(site);
  const Finding found = findings(record).front();
  BOOST_TEST(found.what == "50 % of the run goes into making communicators by MPI_Comm_split at solve.c:9 in step.");
  BOOST_TEST(found.evidence == "Measured: 1000 communicators, 2 s of all processes, 500 us a call.");
}

BOOST_AUTO_TEST_CASE(what_was_made_while_the_times_paused_takes_nothing_of_the_run) {
  const auto with = [](std::uint64_t ns_in_the_run) {
    Record record = job(4, 2);
    CommunicatorSite site{.communicators = 100, .creation_ns = 2'000'000'000};
    CallCount dup{.calls = 400, .processes = 4};
    for (std::uint64_t rank = 0; rank < 4; ++rank) {
      site.made.add(100), site.ranks.add(4);
      record.times.run.add(100'000'000, ns_in_the_run, rank);
      record.times.paused_ns.add(500'000'000);
      if (ns_in_the_run != 0) dup.time_ns.add(ns_in_the_run, rank);
    }
    record.calls["MPI_Comm_dup"] = dup;
    record.communicators[{"MPI_Comm_dup", {}}].merge(site);
    return of(findings(record), "communicators");
  };
  BOOST_TEST((with(0).verdict == Verdict::nothing));
  BOOST_TEST(!contains(with(0).evidence, "of the run"), with(0).evidence);
  BOOST_TEST(contains(with(10'000'000).what, "10 % of the run goes into making communicators"), with(10'000'000).what);
  BOOST_TEST(with(10'000'000).evidence == "Measured: 100 communicators, 40 ms of all processes, 5 ms a call.");
}

BOOST_AUTO_TEST_CASE(communicators_that_are_kept_already_are_not_to_be_kept) {
  const auto action = [](std::uint64_t at_once) {
    Record record = job(4, 2);
    CommunicatorSite site{.communicators = 1903, .creation_ns = 2'000'000'000};
    for (int rank = 0; rank < 4; ++rank) site.made.add(1903), site.ranks.add(4), site.most_alive.add(at_once);
    record.communicators[{"MPI_Comm_split", {}}].merge(site);
    return of(findings(record), "communicators").action;
  };
  BOOST_TEST(contains(action(1), "make them once and keep them"), action(1));
  BOOST_TEST(
      action(1903) ==
      "A process keeps 1903 of them side by side already: make fewer, one for all that have the same processes.");
}

BOOST_AUTO_TEST_CASE(what_the_program_spawned_is_named_as_not_in_the_report) {
  for (const char* call : {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple"}) {
    Record record = job(2, 1);
    BOOST_TEST(what_to_do(record).findings.empty());
    record.calls[call].add(1);
    record.calls[call].add(1);
    BOOST_REQUIRE(!what_to_do(record).findings.empty());
    const Finding found = what_to_do(record).findings.front();
    BOOST_TEST(found.what == fmt::format("What {} started is not in this report.", call));
    BOOST_TEST(found.evidence == "Counted: 2 calls in 2 processes.");
    BOOST_TEST(contains(found.action, "`marshal run PROGRAM`"));
  }
}

BOOST_AUTO_TEST_CASE(the_report_that_is_called_the_shortest_is_the_summary) {
  Record record = job(4, 1);
  record.own.init_cpu_ns = record.own.inside_cpu_ns = record.own.finalize_cpu_ns = {4, 200'000'000, 0, 50'000'000};
  BOOST_TEST(contains(of(findings(record), "Marshal").action, "MARSHAL_REPORT=summary writes the shortest report."));
}

BOOST_AUTO_TEST_CASE(windows_and_files_are_not_called_communicators) {
  for (const auto& [call, thing] : {std::pair("MPI_Win_create", "window"), {"MPI_File_open", "file"}}) {
    Record record = job(4, 2);
    CommunicatorSite site;
    site.communicators = 1000;
    for (int rank = 0; rank < 4; ++rank) site.made.add(1000), site.ranks.add(4), site.alive.add(0);
    record.communicators[{call, {}}].merge(site);
    BOOST_TEST(contains(of(findings(record), "communicators").what, std::string("1000 ") + thing + "s made;"));
    site.creation_ns = 2'000'000'000;
    record.communicators = {};
    record.communicators[{call, {}}].merge(site);
    const Finding found = of(findings(record), "communicators");
    BOOST_TEST(contains(found.what, std::string("making ") + thing + "s by " + call));
    BOOST_TEST(contains(found.evidence, std::string("1000 ") + thing + "s,"));
  }
}

BOOST_AUTO_TEST_CASE(an_incomplete_report_says_so_before_all_else) {
  Record record = job(8, 2);
  record.ranks = RankSet::from_intervals({{0, 2}});
  record.partial = RankSet(1);
  const Finding found = findings(record).front();
  BOOST_TEST(found.what == "This report knows 3 of 8 ranks only.");
  BOOST_TEST(found.evidence == "Missing: 3-7. Ended without MPI_Finalize: 1.");
  BOOST_TEST(contains(found.action, "`marshal report FILE...` merges them"));
  // There is nothing to merge where all are there.
  record.ranks = RankSet::from_intervals({{0, 7}});
  BOOST_TEST(contains(findings(record).front().action, "Call MPI_Finalize in each process"));
}
