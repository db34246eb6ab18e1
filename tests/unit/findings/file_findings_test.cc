#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "findings/findings.h"

using namespace marshal::report;
using Verdict = Finding::Verdict;

namespace {

constexpr std::uint64_t second = 1'000'000'000;

Record job_that_left(std::uint64_t calls) {
  Record record;
  record.job.ranks = 2;
  record.job.nodes = 1;
  record.ranks = RankSet::from_intervals({{0, 1}});
  for (int rank = 0; rank < 2; ++rank) record.own.wall_ns.add(10 * second);
  record.files.left = {calls, calls << 20, calls << 14};
  return record;
}

void took(Record& record, const char* call, std::uint64_t ns) { record.calls[call].time_ns.of.add(ns); }

const Finding* on_files(const std::vector<Finding>& all) {
  const auto found = std::ranges::find(all, "files", &Finding::subject);
  return found != all.end() ? &*found : nullptr;
}

}  // namespace

BOOST_AUTO_TEST_CASE(files_that_nobody_accessed_give_no_finding) {
  BOOST_TEST(on_files(findings(job_that_left(0))) == nullptr);
}

BOOST_AUTO_TEST_CASE(what_was_left_to_the_library_says_which_setting_packs_it) {
  Record record = job_that_left(3);
  record.job.settings["MARSHAL_FILES"] = "off (environment)";
  const std::vector<Finding> switched_off = findings(record);
  BOOST_REQUIRE(on_files(switched_off) != nullptr);
  BOOST_TEST((on_files(switched_off)->verdict == Verdict::act));
  BOOST_TEST(on_files(switched_off)->what ==
             "The MPI library moved 3 MiB of memory with gaps, in 3 calls, piece by piece.");
  BOOST_TEST(on_files(switched_off)->evidence == "Mean piece of that memory: 64 B.");
  BOOST_TEST(on_files(switched_off)->action == "MARSHAL_FILES=auto packs such memory first.");
  record.job.settings["MARSHAL_FILES"] = "auto";
  BOOST_TEST(on_files(findings(record))->action == "Calls with less than 64 MiB let Marshal pack it first.");
}

BOOST_AUTO_TEST_CASE(the_seconds_are_those_of_all_accesses_and_of_nothing_else) {
  for (const char* call : {"MPI_File_read_all", "MPI_File_write_at", "MPI_File_iread", "MPI_File_iwrite_at"}) {
    Record record = job_that_left(3);
    took(record, call, 4 * second);
    took(record, "MPI_File_open", 2 * second);
    const std::vector<Finding> all = findings(record);
    BOOST_REQUIRE(on_files(all) != nullptr);
    BOOST_TEST(on_files(all)->most_seconds == 2.0);
  }
}

BOOST_AUTO_TEST_CASE(what_was_packed_is_a_gain_with_the_time_called_predicted) {
  Record record = job_that_left(0);
  record.files.packed = {1, 1 << 20, 1 << 16};
  record.files.predicted_saved_ns = second / 2;
  const std::vector<Finding> all = findings(record);
  BOOST_REQUIRE(on_files(all) != nullptr);
  BOOST_TEST((on_files(all)->verdict == Verdict::gained));
  BOOST_TEST(on_files(all)->what ==
             "Marshal packed 1 MiB of memory with gaps, in 1 call before the MPI library moved it to or from files.");
  BOOST_TEST(on_files(all)->evidence ==
             "Mean piece of that memory: 16 B. Predicted: 500 ms saved in all processes, if this machine takes as long "
             "for a piece as the one that was measured.");
}
