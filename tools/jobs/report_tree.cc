#include "tools/jobs/report_tree.h"

#include <pwd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/small_file.h"
#include "pages/pages.h"
#include "record/json.h"

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

  void add_file(std::string name) { (name.ends_with(summary_ending) ? summaries : reports).push_back(std::move(name)); }
  // Each name once.
  void sort() {
    for (auto* names : {&summaries, &reports, &directories}) {
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
  }
  listing.sort();
  return listing;
}

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

}  // namespace

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

}  // namespace marshal::tools
