
#include <boost/test/unit_test.hpp>

#include "findings/findings.h"
#include "pages/pages.h"

using namespace marshal::report;

namespace {

Record job() {
  Record record;
  record.job.ranks = 2;
  record.ranks = RankSet::from_intervals({{0, 1}});
  for (int rank = 0; rank < 2; ++rank) {
    record.own.wall_ns.add(10'000'000'000);
    record.times.run.add(10'000'000'000, 2'000'000'000, static_cast<std::uint64_t>(rank));
  }
  return record;
}

CommunicatorSite communicators(std::uint64_t made, std::uint64_t alive) {
  CommunicatorSite site;
  site.communicators = made;
  for (int rank = 0; rank < 2; ++rank) {
    site.made.add(made), site.freed.add(made - alive), site.alive.add(alive);
    site.most_alive.add(std::max<std::uint64_t>(alive, 1));
  }
  site.symbol = "leak.c:12 in main";
  return site;
}

ObjectSite objects(std::uint64_t made, std::uint64_t alive, std::uint64_t at_once) {
  ObjectSite site;
  for (int rank = 0; rank < 2; ++rank) site.made.add(made), site.alive.add(alive), site.most_alive.add(at_once);
  site.symbol = "types.c:30 in main";
  return site;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const Finding* finding_with(const std::vector<Finding>& all, const std::string& text) {
  for (const Finding& one : all)
    if (holds(one.what, text)) return &one;
  return nullptr;
}

}  // namespace

BOOST_AUTO_TEST_CASE(calls_make_what_their_standard_says) {
  for (const auto& [call, made] : {std::pair("MPI_Comm_split", "communicators"),
                                   {"MPI_Comm_create_group", "communicators"},
                                   {"MPI_Intercomm_create_from_groups", "communicators"},
                                   {"MPI_Cart_sub", "communicators"},
                                   {"MPI_Comm_group", "groups"},
                                   {"MPI_Win_get_group", "groups"},
                                   {"MPI_Group_union", "groups"},
                                   {"MPI_Win_allocate_shared", "windows"},
                                   {"MPI_File_open", "files"},
                                   {"MPI_Type_commit", "datatypes"},
                                   {"MPI_Type_create_keyval", "keyvals"},
                                   {"MPI_Op_create", "operations"},
                                   {"MPI_Allreduce_init", "persistent requests"}})
    BOOST_TEST(objects_of(call) == made, call);
}

BOOST_AUTO_TEST_CASE(places_of_one_row_are_one_sample_of_a_process) {
  ObjectSite first, second;
  first.add_place(700, 600, 650);
  second.add_place(800, 500, 510);
  second.add_place(30, 0, 30);
  BOOST_TEST((first.most_alive == Spread{1, 650, 650, 650}));
  BOOST_TEST((second.made == Spread{1, 830, 830, 830}));
  BOOST_TEST((second.alive == Spread{1, 500, 500, 500}));
  BOOST_TEST(second.most_alive.samples == 0u);
  second.add_place(1, 1, 1);
  BOOST_TEST((second.made.max == 831u && second.alive.max == 501u && second.most_alive.samples == 0u));
  first.merge(second);
  BOOST_TEST((first.made == Spread{2, 1531, 700, 831}));
  BOOST_TEST((first.most_alive == Spread{1, 650, 650, 650}));
}

BOOST_AUTO_TEST_CASE(a_program_that_keeps_a_few_is_told_nothing) {
  Record record = job();
  record.communicators[{"MPI_Comm_dup", {}}] = communicators(3, 3);
  record.objects[{"MPI_Type_commit", {}}] = objects(200, 200, 200);
  record.objects[{"MPI_Op_create", {}}] = objects(5, 5, 5);
  BOOST_TEST(not_freed(record).empty());
  BOOST_TEST(!holds(to_screen(record), "Not freed"));
  for (const Finding& one : findings(record)) BOOST_TEST(!holds(one.what, "not freed"), one.what);
}

BOOST_AUTO_TEST_CASE(many_left_at_the_end_are_named_on_the_screen_and_to_do) {
  Record record = job();
  record.communicators[{"MPI_Comm_dup", {}}] = communicators(1500, 1500);
  record.objects[{"MPI_Type_commit", {}}] = objects(20000, 20000, 20000);
  record.job.communicator_limit = 2048;
  record.communicators_at_once.add(1540, 1);
  const std::string screen = to_screen(record);
  BOOST_TEST(holds(screen, "Not freed     20000 datatypes by MPI_Type_commit at types.c:30 in main"), screen);
  BOOST_TEST(holds(screen, "1500 communicators by"), screen);
  BOOST_TEST(holds(screen, "Limit         rank 1 had 1540 communicators in use at once, of 2048"), screen);
  const std::vector<Finding> all = findings(record);
  const Finding* found = finding_with(all, "Communicators made by MPI_Comm_dup at leak.c:12 in main are not freed");
  BOOST_REQUIRE(found != nullptr);
  BOOST_TEST(holds(found->action, "MPI_Comm_free"));
  // What MPI_Finalize frees by callbacks of the program was counted before.
  BOOST_TEST(holds(found->what, "in a process when MPI_Finalize began."), found->what);
  BOOST_TEST(holds(found->action, "callback of MPI_COMM_SELF"), found->action);
  BOOST_TEST(holds(screen, "when MPI_Finalize began"), screen);
  BOOST_TEST(finding_with(all, "Datatypes made by MPI_Type_commit at types.c:30 in main are not freed") != nullptr);
}

BOOST_AUTO_TEST_CASE(communicators_made_in_vain_are_told_apart) {
  struct {
    std::uint64_t CommunicatorSite::*count;
    const char* call;
    const char* action;
  } const ways[] = {{&CommunicatorSite::never_used, "MPI_Comm_create", "leave them out: attributes, error handlers"},
                    {&CommunicatorSite::like_parent, "MPI_Comm_split", "MPI_Comm_dup makes one of the same processes"},
                    {&CommunicatorSite::nested_duplicates, "MPI_Comm_dup", "duplicates of duplicates"}};
  for (const auto& way : ways) {
    Record record = job();
    CommunicatorSite& site = record.communicators[{way.call, {}}] = communicators(300, 0);
    site.*way.count = site.made.sum;
    const Finding* found = finding_with(findings(record), "A process makes 300 communicators by ");
    BOOST_REQUIRE(found != nullptr);
    BOOST_TEST(holds(findings(record).front().action, way.action), way.action);
    // If one process uses one of them, they are not in vain; and a few are no finding.
    Record used = job();
    (used.communicators[{way.call, {}}] = communicators(300, 0)).*way.count = site.made.sum / 3;
    BOOST_TEST((finding_with(findings(used), "A process makes") == nullptr));
    Record few = job();
    (few.communicators[{way.call, {}}] = communicators(4, 0)).*way.count = 8;
    BOOST_TEST((finding_with(findings(few), "A process makes") == nullptr));
  }
}

BOOST_AUTO_TEST_CASE(a_place_that_is_told_twice_has_its_better_way_once) {
  const auto times_told = [](std::uint64_t creation_ns) {
    Record record = job();
    CommunicatorSite& site = record.communicators[{"MPI_Comm_split", {}}] = communicators(300, 300);
    site.like_parent = site.made.sum;
    site.creation_ns = creation_ns;
    int times = 0;
    for (const Finding& one : findings(record)) times += holds(one.action, "MPI_Comm_dup makes") ? 1 : 0;
    return times;
  };
  BOOST_TEST(times_told(1000) == 1);
  BOOST_TEST(times_told(2'000'000'000) == 1);
}

BOOST_AUTO_TEST_CASE(types_committed_in_a_loop_are_found_where_that_takes_time) {
  const auto with = [](std::uint64_t ns, std::uint64_t at_once) {
    Record record = job();
    CallCount count;
    count.calls = 200000, count.processes = 2;
    for (std::uint64_t rank = 0; rank < 2; ++rank) count.time_ns.add(ns, rank);
    record.calls["MPI_Type_commit"] = count;
    record.objects[{"MPI_Type_commit", {}}] = objects(100000, 0, at_once);
    return record;
  };
  const auto found = [](const Record& record) { return finding_with(findings(record), "commits again") != nullptr; };
  BOOST_TEST(found(with(500'000'000, 1)));
  BOOST_TEST(!found(with(50'000'000, 1)));       // half a per cent of the run
  BOOST_TEST(!found(with(500'000'000, 90000)));  // they live side by side
  BOOST_TEST(what_to_do(with(500'000'000, 1)).findings.at(0).most_seconds <= 0.51);
  Record not_counted_at_once = with(500'000'000, 1);
  not_counted_at_once.objects[{"MPI_Type_commit", {}}].most_alive = {};
  BOOST_TEST(!found(not_counted_at_once));
  const Finding one = *finding_with(findings(with(500'000'000, 1)), "commits again");
  BOOST_TEST(holds(one.evidence, "Estimated, as not each of these calls is timed"), one.evidence);
  BOOST_TEST(!holds(one.evidence, "Measured"), one.evidence);
}

BOOST_AUTO_TEST_CASE(committed_types_get_no_time_of_duplicates_and_keyvals) {
  const auto seconds = [](const char* call, std::uint64_t duplicates) {
    Record record = job();
    const auto add = [&](const char* name, std::uint64_t ns) {
      CallCount count;
      count.calls = 200000, count.processes = 2;
      for (std::uint64_t rank = 0; rank < 2; ++rank) count.time_ns.add(ns, rank);
      record.calls[name] = count;
    };
    add("MPI_Type_commit", 500'000'000);
    add(call, 400'000'000);
    record.objects[{"MPI_Type_commit", {}}] = objects(100000, 0, 1);
    if (duplicates != 0) record.objects[{"MPI_Type_dup", {}}] = objects(duplicates, 0, 1);
    const std::vector<Finding> all = findings(record);
    return finding_with(all, "commits again")->most_seconds;
  };
  BOOST_TEST(seconds("MPI_Type_vector", 0) == 0.9, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(seconds("MPI_Type_free", 0) == 0.9, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(seconds("MPI_Type_free", 100000) == 0.7, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(seconds("MPI_Type_dup", 100000) == 0.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(seconds("MPI_Type_create_keyval", 0) == 0.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(seconds("MPI_Type_free_keyval", 0) == 0.5, boost::test_tools::tolerance(1e-9));
}
