// Many runs added up: a row for each program, user, host, month or combination of them. Bounded, whatever is added.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pages/summary.h"

namespace marshal::tools {

// A file's user is who owns it. Where it names another one, this stands behind the owner's name.
inline constexpr char other_user_mark = '*';

enum class JobKey : std::uint8_t { program, user, host, month };
inline constexpr std::array<std::string_view, 4> job_key_names{"program", "user", "host", "month"};

// A mean over runs of a part of their time, each weighted by the time of all its processes.
class MeanShare {
 public:
  void add(std::optional<double> share, double process_seconds) {
    if (!share) return;
    part_ += *share * process_seconds;
    whole_ += process_seconds;
  }
  // Nothing where no run measured it.
  std::optional<double> mean() const { return whole_ > 0 ? std::optional(part_ / whole_) : std::nullopt; }

 private:
  double part_ = 0, whole_ = 0;
};

struct JobTotals {
  std::uint64_t runs = 0;
  std::uint64_t ended_early = 0;  // of these, runs of which some process ended without MPI_Finalize
  std::uint64_t to_do = 0;        // of these, runs with a finding that says what to do
  std::uint64_t least_ranks = 0, most_ranks = 0;
  double process_seconds = 0;  // of all processes together
  MeanShare mpi, own_cpu;
  std::optional<double> saved_seconds;  // of all processes together
  std::optional<double> bytes;
  std::optional<std::pair<double, double>> between_nodes;  // bytes, in the order in force and in the order given
  std::uint64_t warnings = 0;
  std::map<std::uint32_t, std::uint64_t> findings;  // number of a finding -> runs

  void add(const report::Summary& summary, bool begins_run);
};

class JobTable {
 public:
  // Rows and findings beyond these are added up in rows and findings of their own.
  static constexpr std::size_t most_rows = 20000, most_findings = 4096, most_findings_a_row = 64;

  using Key = std::vector<std::string>;  // a text for each of keys()
  struct Line {
    Key key;
    const JobTotals* totals;
  };

  explicit JobTable(std::vector<JobKey> keys) : keys_(std::move(keys)) {}

  void add(const report::Summary& summary, bool begins_run);

  const std::vector<JobKey>& keys() const { return keys_; }
  // Rows of months alone are in order of time; of other rows, those with the most process time come first. Last the row
  // of all that had no room.
  std::vector<Line> rows() const;
  const JobTotals& all() const { return all_; }
  // With numbers as "N", and as the first of its runs has it.
  const report::SummaryFinding& finding(std::uint32_t number) const { return findings_[number]; }
  const std::string& example(std::uint32_t number) const { return examples_[number]; }
  // Pairs of a finding's number and its runs, of a row or of all; the most runs first.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> most_frequent(const JobTotals& totals) const;

 private:
  std::uint32_t number_of(const report::SummaryFinding& finding);

  std::vector<JobKey> keys_;
  std::map<Key, JobTotals> rows_;
  std::optional<JobTotals> others_;
  JobTotals all_;
  std::vector<report::SummaryFinding> findings_{{"", "", "other findings"}};
  std::vector<std::string> examples_{"other findings"};
  std::map<std::string, std::uint32_t> number_of_finding_;
};

// Makes alike what differs in its figures: "Messages: 5.2 MiB in 1 call." -> "Messages: N in N call." Numbers within
// words, as lines of a source, stay.
std::string without_figures(std::string_view text);

// A table of many runs as text for a screen, as CSV and as JSON; see marshal-jobs(1).
inline constexpr int version_of_jobs_schema = 1;

struct TreeCounts {
  std::uint64_t reports = 0;      // files that were counted
  std::uint64_t passed_over = 0;  // files and directories that could not be
};

// Lines of at most 100 columns. The first rows only, unless `every_row`.
std::string jobs_as_text(const JobTable& table, const TreeCounts& counts, bool every_row);
// A line of titles, then one for each row, as in RFC 4180 but with newline alone. Empty where nothing was measured.
std::string jobs_as_csv(const JobTable& table);
// Ends with a newline. Null where nothing was measured.
std::string jobs_as_json(const JobTable& table, const TreeCounts& counts);

}  // namespace marshal::tools
