// marshal jobs: adds up the reports of many runs, below directories.
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.h"
#include "base/split_text.h"
#include "tools/command_line.h"
#include "tools/jobs/job_table.h"
#include "tools/jobs/report_tree.h"
#include "tools/output.h"

namespace marshal::tools {
namespace {

constexpr std::uint64_t most_lines_passed_over = 20;

// "user,month" as keys, each once and in the order asked for. Empty, with a line on stderr, if a word is none.
std::vector<JobKey> keys_of(const std::string& text) {
  std::vector<JobKey> keys;
  for (const std::string_view name : split(text, ',')) {
    const auto found = std::find(job_key_names.begin(), job_key_names.end(), name);
    if (found == job_key_names.end()) {
      say(Level::error, "--by={}: {} is none of {}", text, name, fmt::join(job_key_names, ", "));
      return {};
    }
    const auto key = static_cast<JobKey>(found - job_key_names.begin());
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

// "2026", "2026-11" or "2026-11-21".
bool is_date(const std::string& text) {
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  return true;
}

// Both days are within; ISO dates have the order of their texts. An empty bound is none. A run whose start is not known
// is within no bound.
struct Days {
  std::string since, until;
  bool has(const std::string& started) const {
    if (started.empty()) return since.empty() && until.empty();
    return started.compare(0, since.size(), since) >= 0 && started.compare(0, until.size(), until) <= 0;
  }
};

int wrong_date(const std::string& option, const std::string& value) {
  say(Level::error, "{}={}: a date is YYYY, YYYY-MM or YYYY-MM-DD", option, value);
  return 2;
}

}  // namespace

int jobs_command(Arguments arguments) {
  CommandLine line(
      "marshal jobs",
      "Add up the reports and summaries of many runs below directories: a row a program, user, host or month.");
  std::vector<std::string> places;
  std::string by = "program";
  Days days;
  bool csv = false, json = false, all = false;
  line.option("DIR", &places, "directories, or single reports", {.type = "DIR ...", .required = true});
  line.option("--by", &by, "what has a row of its own: program, user, host, month, or several with commas",
              {.type = "KEY,...", .shows_default = true});
  line.option("--since", &days.since, "only runs that began on this day or later", {.type = "DATE"});
  line.option("--until", &days.until, "only runs that began on this day or earlier", {.type = "DATE"});
  line.flag("--all", all, "every row");
  line.flag("--csv", csv, "every row, as comma-separated values");
  line.flag("--json", json, "every row, as JSON");
  line.exclude("--csv", "--json");
  if (const auto over = line.parse(arguments)) return *over;
  if (!days.since.empty() && !is_date(days.since)) return wrong_date("--since", days.since);
  if (!days.until.empty() && !is_date(days.until)) return wrong_date("--until", days.until);

  std::vector<JobKey> keys = keys_of(by);
  if (keys.empty()) return 2;
  JobTable table(std::move(keys));
  TreeCounts counts;
  const ReportVisitor visitor{[&](const report::Summary& summary, bool begins_run) {
                                if (!days.has(summary.started)) return;
                                ++counts.reports;
                                table.add(summary, begins_run);
                              },
                              [&](const std::string& path, const std::string& why) {
                                if (++counts.passed_over <= most_lines_passed_over)
                                  say(Level::error, "{}: {}", path, why);
                              }};
  const int status = visit_reports(places, visitor) ? 0 : 1;
  if (counts.passed_over > most_lines_passed_over)
    say(Level::error, "and {} more passed over", counts.passed_over - most_lines_passed_over);
  if (counts.reports == 0) {
    say_line(Level::error, "no report of a run is there");
    return 1;
  }
  if (json || csv)
    print_whole(json ? jobs_as_json(table, counts) : jobs_as_csv(table));
  else
    print_lines(jobs_as_text(table, counts, all));
  return status;
}

}  // namespace marshal::tools
