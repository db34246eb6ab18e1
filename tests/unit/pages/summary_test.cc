#include "pages/summary.h"

#include <boost/test/unit_test.hpp>

#include "findings/findings.h"
#include "pages/pages.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/record/random_record.h"

using namespace marshal::report;

namespace {

Summary read_back(const std::string& text) {
  std::string why;
  const std::optional<Summary> summary = summary_from_json(text, why);
  BOOST_TEST_REQUIRE(summary.has_value(), why);
  return *summary;
}

Record whole_record(RandomRecords& random) {
  Record record;
  for (std::uint64_t rank = 0; rank < 20; ++rank) merge(record, random.record(rank, 900));
  record.job.user = "ann";
  record.job.started = "2026-11-21T09:14:47+00:00";
  return record;
}

// A text of each kind that JSON writes longer than it is.
std::string long_text(RandomRecords& random) {
  const std::string parts[] = {"x", "\x01", "\"", "\xff", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  const std::string& part = parts[random.number(6)];
  std::string text;
  for (std::uint64_t i = random.number(100000); i > 0; i /= 2) text += text + part;
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_summary_comes_back_from_its_json) {
  RandomRecords random(marshal::property_seed());
  for (int round = 0; round < 30; ++round) {
    const Summary summary = summary_of(whole_record(random), "/reports/app-1.json");
    BOOST_TEST(summary.report == "app-1.json");
    BOOST_TEST((read_back(to_json(summary)) == summary));
  }
}

BOOST_AUTO_TEST_CASE(a_full_report_gives_the_summary_of_its_record) {
  RandomRecords random(marshal::property_seed());
  const Record record = whole_record(random);
  BOOST_TEST((read_back(to_json(record)) == summary_of(record, "")));
}

BOOST_AUTO_TEST_CASE(a_summary_has_8_KiB_at_most_whatever_its_texts) {
  RandomRecords random(marshal::property_seed());
  for (int round = 0; round < 100; ++round) {
    Record record = whole_record(random);
    for (std::string* text : {&record.job.program, &record.job.user, &record.job.host, &record.job.job_id,
                              &record.job.started, &record.job.mpi, &record.job.marshal_version})
      *text = long_text(random);
    Summary summary = summary_of(record, std::string(255, round % 2 == 0 ? '\x01' : 'x') + ".json");
    for (SummaryFinding& finding : summary.findings) finding.what = long_text(random);
    const std::string text = to_json(summary);
    BOOST_TEST(text.size() <= most_summary_bytes);
    const Summary again = read_back(text);
    BOOST_TEST((again.wall_ns == summary.wall_ns));
    BOOST_TEST((again.cut_texts != 0) ==
               (again.program.ends_with("...") || again.user.ends_with("...") || again.host.ends_with("...") ||
                again.job_id.ends_with("...") || again.started.ends_with("...") || again.mpi.ends_with("...") ||
                again.marshal_version.ends_with("...") ||
                std::ranges::any_of(again.findings,
                                    [](const SummaryFinding& finding) { return finding.what.ends_with("..."); })));
  }
}

BOOST_AUTO_TEST_CASE(a_text_is_cut_between_characters) {
  Summary summary;
  summary.program =
      "abc\xe2\x82\xac"
      "defgh";
  BOOST_TEST(with_texts_cut(summary, 8).program == "abc...");
  BOOST_TEST(with_texts_cut(summary, 9).program == "abc\xe2\x82\xac...");
  BOOST_TEST(with_texts_cut(summary, 11).program == summary.program);
  BOOST_TEST(with_texts_cut(summary, 11).cut_texts == 0u);
  BOOST_TEST(with_texts_cut(summary, 9).cut_texts == 1u);
}

BOOST_AUTO_TEST_CASE(what_was_not_measured_is_null) {
  const std::string text = to_json(summary_of(Record{}, ""));
  for (const char* name : {"mpi_share", "saved_seconds", "bytes", "between_nodes_bytes", "own_cpu_share"})
    BOOST_TEST(text.find("\"" + std::string(name) + "\": null") != std::string::npos, name);
}

BOOST_AUTO_TEST_CASE(what_the_engine_saved_is_estimated_from_what_was_timed) {
  Record record;
  BOOST_TEST(!saved_seconds(record).has_value());
  DatatypeLayout layout{};
  // 1 GB by the engine: 1 ns a byte; the MPI library takes 3.
  layout.pack = {.calls = 1, .bytes = 1000000000, .engine_bytes = 1000000000, .timed_bytes = 100, .timed_ns = 100};
  record.datatypes[{"a", 1}].merge(layout);
  BOOST_TEST(!saved_seconds(record).has_value());
  layout.pack.host_bytes = 100;
  layout.pack.host_ns = 300;
  record.datatypes[{"b", 2}].merge(layout);
  BOOST_TEST(saved_seconds(record).value() == 2.0, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_text_that_is_no_report_or_summary_is_refused_with_a_reason) {
  const auto refused = [](const std::string& text) {
    std::string why;
    BOOST_TEST(!summary_from_json(text, why).has_value());
    return why;
  };
  const std::string good = to_json(summary_of(Record{}, ""));
  BOOST_TEST(refused("") == "it is not JSON");
  BOOST_TEST(refused(good.substr(0, good.size() / 2)) == "it is not JSON");
  BOOST_TEST(refused(R"({"type":"FeatureCollection"})") == "it is not a report of Marshal");
  BOOST_TEST(refused(R"({"schema":"marshal-summary","schema_version":2})") ==
             "its schema version is 2, and this Marshal reads version 1");
  BOOST_TEST(refused(R"({"schema":"marshal-summary","schema_version":1})") == "its program is missing");
  std::string many = "[0";
  for (int i = 0; i < 4000000; ++i) many += ",0";
  BOOST_TEST(refused(many + "]") == "it is not a report of Marshal: it is too large");
  std::string why;
  BOOST_TEST(!from_json(good, why).has_value());
  BOOST_TEST(why == "it is the summary of a run, which `marshal jobs` reads");
}
