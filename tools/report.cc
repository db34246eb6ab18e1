// marshal report: reads the reports of a run again, merges partial ones, and prints them.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/printable_text.h"
#include "report/html.h"
#include "report/record_json.h"
#include "report/screen.h"
#include "report/site_names.h"
#include "report/text.h"
#include "tools/command_line.h"
#include "tools/commands.h"
#include "tools/compare.h"
#include "tools/option_values.h"

namespace marshal::tools {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

bool read_file(const std::string& path, std::string& text) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return false;
  std::array<char, 65536> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), file.get())) text.append(part.data(), n);
  return std::ferror(file.get()) == 0;
}

std::optional<report::Record> read_report(const std::string& path) {
  std::string text;
  if (!read_file(path, text)) {
    say(Level::error, "{}: cannot be read: {}", path, std::strerror(errno));
    return std::nullopt;
  }
  std::string why_not;
  std::optional<report::Record> record = report::from_json(text, why_not);
  if (!record) say(Level::error, "{}: {}", path, why_not);
  return record;
}

// Why two records cannot be of one run; empty if they can.
std::string contradiction(const report::Record& a, const report::Record& b) {
  if (a.job.job_id != b.job.job_id || a.job.program != b.job.program)
    return printable(fmt::format("is of another run ({}, job {}, and not {}, job {})", b.job.program, b.job.job_id,
                                 a.job.program, a.job.job_id));
  if (a.ranks.overlaps(b.ranks))
    return fmt::format("has ranks ({}) that an earlier file has too ({})", b.ranks.text(), a.ranks.text());
  return {};
}

std::size_t screen_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60) return size.ws_col;
  return report::TextStyle{}.width;
}

int print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return 0;
  say(Level::error, "standard output: {}", std::strerror(errno));
  return 1;
}

int compare_files(const std::vector<std::string>& files, bool symbols) {
  if (files.size() != 2) {
    say(Level::error, "report: --compare takes two reports, not {}", files.size());
    return 2;
  }
  std::optional<report::Record> before = read_report(files[0]), after = read_report(files[1]);
  if (!before || !after) return 1;
  if (symbols) {
    report::name_sites(*before, report::when_read);
    report::name_sites(*after, report::when_read);
  }
  return print(compare_text(*before, *after));
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
  std::optional<report::Record> merged;
  for (const std::string& path : files) {
    const auto record = read_report(path);
    if (!record) return 1;
    if (!merged) {
      merged = record;
      continue;
    }
    if (const std::string why = contradiction(*merged, *record); !why.empty()) {
      say(Level::error, "{}: {}", path, why);
      return 1;
    }
    report::merge(*merged, *record);
  }
  if (!no_symbols) report::name_sites(*merged, report::when_read);
  if (!html.empty()) {
    write_text_file(html, report::to_html(*merged));
    return 0;
  }
  report::TextStyle style;
  style.width = screen_width();
  if (all) style.rows_of_a_table = 0;
  const std::string out = json             ? report::to_json(*merged)
                          : details || all ? report::to_text(*merged, {}, style)
                                           : report::to_screen(*merged);
  return print(out);
}

}  // namespace marshal::tools
