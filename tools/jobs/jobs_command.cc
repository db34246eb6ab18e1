// marshal jobs: adds up the reports of many runs, below directories.
#include <fmt/ranges.h>
#include <pwd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/message.h"
#include "base/printable_text.h"
#include "base/process_facts.h"
#include "base/small_file.h"
#include "base/split_text.h"
#include "pages/pages.h"
#include "record/json.h"
#include "tools/command_line.h"
#include "tools/jobs/job_table.h"
#include "tools/output.h"
#include "watch/running_file.h"

namespace marshal::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view report_ending = ".json", summary_ending = ".summary.json";

// A file's name as JSON holds it: bytes that are no UTF-8 are replaced there.
std::string name_in_json(const std::string& name) { return report::json_text(name, -1); }

// "app-4711-partial-rank7-2.json" -> "app-4711-2.json": the same for all processes of a run. Empty for other names.
std::string name_of_partial_run(const std::string& name) {
  constexpr std::string_view mark = "-partial-rank";
  const std::size_t begin = name.rfind(mark);
  if (begin == std::string::npos) return {};
  const std::size_t end = name.find_first_not_of("0123456789", begin + mark.size());
  return name.substr(0, begin) + name.substr(std::min(end, name.size()));
}

struct Listing {
  std::vector<std::string> summaries, reports, directories;  // names, in their order
  std::vector<std::string> left;                             // files of runs that may be over

  void add_file(std::string name) { (name.ends_with(summary_ending) ? summaries : reports).push_back(std::move(name)); }
  // Each name once.
  void sort() {
    for (auto* names : {&summaries, &reports, &directories, &left}) {
      std::sort(names->begin(), names->end());
      names->erase(std::unique(names->begin(), names->end()), names->end());
    }
  }
};

Listing listing_of(const fs::path& directory, std::error_code& error) {
  Listing listing;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    const fs::file_type type = entry->symlink_status(unknown).type();
    std::string name = entry->path().filename().string();
    if (type == fs::file_type::directory)
      listing.directories.push_back(std::move(name));
    else if (type == fs::file_type::regular && name.ends_with(report_ending))
      listing.add_file(std::move(name));
    else if (type == fs::file_type::regular && name.ends_with(watch::running_ending))
      listing.left.push_back(std::move(name));
  }
  listing.sort();
  return listing;
}

struct ReportVisitor {
  // `begins_run`: false for the second and later files of one run, whose processes ended without MPI_Finalize.
  std::function<void(const report::Summary& summary, bool begins_run)> report;
  std::function<void(const std::string& path, const std::string& why)> passed_over;
  // A file that a run left.
  std::function<void(const std::string& path, const watch::Head& file)> left;
};

class Users {
 public:
  // The owner's name, with the mark if a file of his names another user.
  std::string owner(std::uint64_t number, const std::string& named) {
    const auto [known, is_new] = names_.try_emplace(number);
    if (is_new) {
      const passwd* const account = getpwuid(static_cast<uid_t>(number));
      known->second = account != nullptr ? account->pw_name : std::to_string(number);
    }
    const bool is_named = named.empty() || named == known->second || named == std::to_string(number);
    return is_named ? known->second : known->second + other_user_mark;
  }

 private:
  std::map<std::uint64_t, std::string> names_;
};

class Reader {
 public:
  explicit Reader(const ReportVisitor& visitor) : visitor_(visitor) {}

  std::optional<report::Summary> read(const fs::path& path) const {
    std::string text;
    std::optional<std::uint64_t> owner;
    std::string why_not = read_small_file(path.string(), text, report::most_report_bytes, &owner);
    std::optional<report::Summary> summary;
    if (why_not.empty()) summary = report::summary_from_json(text, why_not);
    if (!summary) {
      visitor_.passed_over(path.string(), why_not);
      return summary;
    }
    constexpr std::size_t most_text_bytes = 512, most_name_bytes = 255;
    summary = report::with_texts_cut(*summary, most_text_bytes);
    if (summary->report.size() > most_name_bytes) summary->report.clear();
    if (owner) summary->user = users_.owner(*owner, summary->user);
    return summary;
  }

  // The files of a directory. False if one of them cannot be read.
  bool files(const fs::path& directory, const Listing& listing) const {
    std::set<std::string> counted, partial_runs;
    bool all_read = true;
    for (const std::string& name : listing.left) {
      const std::string path = (directory / name).string();
      watch::Head file;
      if (watch::read_head(path.c_str(), file) &&
          (name.ends_with(watch::told_ending) ||
           watch::is_over(file, host_name(), static_cast<std::uint64_t>(std::time(nullptr)))))
        visitor_.left(path, file);
    }
    for (const std::string& name : listing.summaries) {
      const auto summary = read(directory / name);
      all_read = all_read && summary;
      if (!summary) continue;
      if (!summary->report.empty()) counted.insert(name_in_json(summary->report));
      visitor_.report(*summary, true);
    }
    for (const std::string& name : listing.reports) {
      if (counted.contains(name_in_json(name))) continue;
      const auto summary = read(directory / name);
      all_read = all_read && summary;
      if (!summary) continue;
      const std::string run = summary->partial_ranks == 0 ? "" : name_of_partial_run(name);
      visitor_.report(*summary, run.empty() || partial_runs.insert(run).second);
    }
    return all_read;
  }

  // All below a directory. False if it cannot be read itself.
  bool tree(const fs::path& top) const {
    std::vector<fs::path> waiting{top};
    bool is_readable = true;
    while (!waiting.empty()) {
      const fs::path next = std::move(waiting.back());
      waiting.pop_back();
      std::error_code error;
      const Listing listing = listing_of(next, error);
      files(next, listing);
      if (error) {
        visitor_.passed_over(next.string(), "it cannot be read: " + error.message());
        is_readable = is_readable && next != top;
      }
      for (auto name = listing.directories.rbegin(); name != listing.directories.rend(); ++name)
        waiting.push_back(next / *name);
    }
    return is_readable;
  }

 private:
  const ReportVisitor& visitor_;
  mutable Users users_;
};

// Visits every regular file named *.json below those `places` that are directories, and the files that others are. In a
// directory summaries come first, then full reports except those that a summary beside them names, each in the order of
// their names; so do files of one directory among `places`. Symbolic links are passed over in silence, except `places`
// themselves. Long texts lose their end. False, with passed_over called, if a place cannot be read. Memory grows with
// the names in one directory and with the number of directories and places, not with the reports.
bool visit_reports(std::span<const std::string> places, const ReportVisitor& visitor) {
  const Reader reader(visitor);
  bool are_readable = true;
  std::map<fs::path, Listing> files;  // by directory
  for (const fs::path place : places) {
    std::error_code error;
    if (fs::is_directory(place, error) || error)
      are_readable = reader.tree(place) && are_readable;
    else
      files[place.parent_path()].add_file(place.filename().string());
  }
  for (auto& [directory, listing] : files) {
    listing.sort();
    are_readable = reader.files(directory, listing) && are_readable;
  }
  return are_readable;
}

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
  std::string left;
  const ReportVisitor visitor{
      [&](const report::Summary& summary, bool begins_run) {
        if (!days.has(summary.started)) return;
        ++counts.reports;
        table.add(summary, begins_run);
      },
      [&](const std::string& path, const std::string& why) {
        if (++counts.passed_over <= most_lines_passed_over) say(Level::error, "{}: {}", path, why);
      },
      [&](const std::string& path, const watch::Head& file) {
        left += fmt::format(
            "Left by a run whose first process is gone: {}, job {}, {} s after its begin: marshal stands {}\n",
            file.program.data(), file.job.data(), file.age, shell_word(path));
      }};
  const int status = visit_reports(places, visitor) ? 0 : 1;
  if (counts.passed_over > most_lines_passed_over)
    say(Level::error, "and {} more passed over", counts.passed_over - most_lines_passed_over);
  if (counts.reports == 0) {
    if (!csv && !json) print_lines(left);
    say_line(Level::error, "no report of a run is there");
    return 1;
  }
  if (json || csv)
    print_whole(json ? jobs_as_json(table, counts) : jobs_as_csv(table));
  else
    print_lines(jobs_as_text(table, counts, all) + left);
  return status;
}

}  // namespace marshal::tools
