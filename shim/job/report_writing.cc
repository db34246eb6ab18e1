#include "job/report_writing.h"

#include <string_view>
#include <utility>

#include "base/message.h"
#include "base/new_file.h"
#include "base/process_facts.h"
#include "pages/pages.h"
#include "pages/record_json.h"
#include "pages/report_file.h"
#include "pages/summary.h"
#include "record/site_names.h"
#include "settings/settings_in_force.h"

namespace marshal {

void write_reports(report::Record record, const std::string& stem, std::string problem) {
  report::name_sites(record, report::when_written);
  bool first = true;
  const auto write_file = [&](std::string_view ending, const std::string& contents) {
    WrittenFile file = write_new_file(stem, ending, contents);
    if (first && !file.error.empty()) problem = std::move(file.error), first = false;
    return file.path;
  };
  std::string path;
  if (settings().reports.json) path = write_file(".json", report::to_json(record));
  if (settings().reports.html) write_file(".html", report::to_html(record));
  if (settings().reports.summary) write_file(".summary.json", report::to_json(report::summary_of(record, path)));
  if (!problem.empty()) say_line(Level::warning, problem);
  if (settings().reports.details)
    say_text(report::to_text(record, path));
  else if (settings().reports.text)
    say_text(report::to_screen(record, path));
}

void write_partial_report(report::Record record) {
  record.job.user = user_name();
  record.partial = record.ranks;
  report::name_sites(record, report::when_written);
  const std::string stem = report::partial_stem(
      report::expand_pattern(settings().text(Option::report_file), record.job), record.ranks.lowest());
  const WrittenFile file = settings().reports.any_whole()
                               ? write_new_file(stem, ".json", report::to_json(record))
                               : write_new_file(stem, ".summary.json", report::to_json(report::summary_of(record, {})));
  if (!file.error.empty()) say_line(Level::warning, file.error);
}

}  // namespace marshal
