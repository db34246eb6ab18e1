// marshal report: reads the reports of a run again, merges partial ones, and prints them.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/message.h"
#include "base/printable_text.h"
#include "base/small_file.h"
#include "report/html.h"
#include "report/record_json.h"
#include "report/screen.h"
#include "report/site_names.h"
#include "report/text.h"
#include "tools/command_line.h"
#include "tools/compare.h"
#include "tools/output.h"

namespace marshal::tools {
namespace {

// What was read, and whether somebody else may have written it.
struct ReadReport {
  report::Record record;
  bool is_foreign = false;
};

std::optional<ReadReport> read_report(const std::string& path) {
  std::string text, why_not;
  std::optional<std::uint64_t> owner;
  if (const std::string why = read_small_file_or_pipe(path, text, report::most_report_bytes, &owner); !why.empty()) {
    say(Level::error, "{}: cannot be read: {}", path, why);
    return std::nullopt;
  }
  std::optional<report::Record> record = report::from_json(text, why_not);
  if (!record) {
    say(Level::error, "{}: {}", path, why_not);
    return std::nullopt;
  }
  return ReadReport{std::move(*record), owner != geteuid() && owner != 0};
}

void name_sites(ReadReport& read) {
  report::name_sites(read.record, read.is_foreign ? report::when_read_of_others : report::when_read);
}

std::string shown(const std::string& text) {
  constexpr std::size_t most = 100;
  return printable(text, most);
}

// Why two records cannot be of one run; empty if they can.
std::string contradiction(const report::Record& a, const report::Record& b) {
  if (a.job.job_id != b.job.job_id || a.job.program != b.job.program)
    return fmt::format("is of another run ({}, job {}, and not {}, job {})", shown(b.job.program), shown(b.job.job_id),
                       shown(a.job.program), shown(a.job.job_id));
  if (a.ranks.overlaps(b.ranks))
    return fmt::format("has ranks ({}) that an earlier file has too ({})", b.ranks.text(), a.ranks.text());
  return {};
}

std::size_t screen_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60) return size.ws_col;
  return report::TextStyle{}.width;
}

int compare_files(const std::vector<std::string>& files, bool symbols) {
  if (files.size() != 2) {
    say(Level::error, "report: --compare takes two reports, not {}", files.size());
    return 2;
  }
  std::optional<ReadReport> before = read_report(files[0]), after = read_report(files[1]);
  if (!before || !after) return 1;
  if (symbols) {
    name_sites(*before);
    name_sites(*after);
  }
  print_lines(compare_text(before->record, after->record));
  return 0;
}

}  // namespace

int report_command(Arguments arguments) {
  CommandLine line("marshal report",
                   "Print the report of a run again; several files are partial reports of one run, and are merged.");
  std::vector<std::string> files;
  std::string html;
  bool json = false, details = false, all = false, no_symbols = false, compare = false;
  line.option("FILE", &files, "JSON reports of Marshal", {.required = true});
  line.flag("--json", json, "the merged report as JSON on standard output");
  line.option("--html", &html, "write the merged report as one HTML file", {.type = "FILE"});
  line.flag("--details", details, "all tables, in place of one screen");
  line.flag("--all", all, "the same, with every row of every table");
  line.flag("--no-symbols", no_symbols, "do not look for functions and lines of call sites");
  line.flag("--compare", compare, "tell what changed from the first report to the second");
  if (const auto over = line.parse(arguments)) return *over;
  unsetenv("DEBUGINFOD_URLS");  // reading a report must not wait for a network
  if (compare) return compare_files(files, !no_symbols);
  std::optional<ReadReport> merged;
  for (const std::string& path : files) {
    auto one = read_report(path);
    if (!one) return 1;
    if (!merged) {
      merged = std::move(one);
      continue;
    }
    if (const std::string why = contradiction(merged->record, one->record); !why.empty()) {
      say(Level::error, "{}: {}", path, why);
      return 1;
    }
    report::merge(merged->record, one->record);
    merged->is_foreign = merged->is_foreign || one->is_foreign;
  }
  if (!no_symbols) name_sites(*merged);
  const report::Record& record = merged->record;
  if (!html.empty()) {
    write_text_file(html, report::to_html(record));
    return 0;
  }
  if (json) {
    print_whole(report::to_json(record));
    return 0;
  }
  report::TextStyle style;
  style.width = screen_width();
  if (all) style.rows_of_a_table = 0;
  print_lines(details || all ? report::to_text(record, {}, style) : report::to_screen(record));
  return 0;
}

}  // namespace marshal::tools
