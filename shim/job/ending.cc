// The end of the run: what all processes know is gathered, and rank 0 writes the report.
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/attempt.h"
#include "base/cpu_time.h"
#include "base/message.h"
#include "base/new_file.h"
#include "base/process_facts.h"
#include "calls/by_calls.h"
#include "copies/extended_requests.h"
#include "exchange/exchange.h"
#include "host/pmpi.h"
#include "host/process_groups.h"
#include "job/gather.h"
#include "job/job.h"
#include "job/own_record.h"
#include "job/traffic_writing.h"
#include "messages/mpich/leave_together.h"
#include "pages/pages.h"
#include "pages/summary.h"
#include "record/arrivals.h"
#include "record/site_names.h"
#include "reordering/learned_grids.h"
#include "reordering/run_key.h"
#include "settings/settings_in_force.h"

namespace marshal::job {
namespace {

// A rank where Marshal is switched off may never meet the others.
bool wants_any_report() { return settings().reports.any() && !settings().disable; }

// Writes the reports that MARSHAL_REPORT asks for: files that begin with STEM, and text on standard error. The files of
// a run stand side by side and fail alike: one line tells of all, `problem` being that of the traffic file.
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

report::Record record_of_this_process(bool are_calls_over) {
  report::Record record = own_record(run().facts);
  run().add(record, are_calls_over);
  return record;
}

// Writes what this process alone knows to a file of its own. A summary is one file a job: rank 0 alone writes it, of
// what it knows.
void write_partial() {
  if (!settings().reports.any_whole() && process_groups().world_rank() != 0) return;
  report::Record record = record_of_this_process(false);
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

// Gathers what all processes know. The others wait for this process's part, even an empty one.
void end_together(const Run& the) {  // AGREEMENT: what MPI_Finalize gathers
  const auto entered = std::chrono::steady_clock::now();
  const auto cpu_entered = thread_cpu_time();
  const bool root = process_groups().world_rank() == 0;
  report::Record own;
  attempt([&] { own = record_of_this_process(true); });
  Gathered gathered = gather(std::move(own), the.own);
  report::Record& record = gathered.record;
  std::string stem, problem;
  if (root) attempt([&] { record.job.user = user_name(); });
  if (root) attempt([&] { stem = report::expand_pattern(settings().text(Option::report_file), record.job); });
  if (writes_traffic() || keeps_traffic()) attempt([&] { problem = write_traffic(the.own, stem, record); });
  if (!root) return;
  attempt([&] { judge_arrivals(record); });
  attempt([&] { try_order(record.traffic, record); });
  attempt([&] { record.traffic.profile = keep_learned_grids(record); });
  if (!wants_any_report()) {
    if (!problem.empty()) say_line(Level::warning, problem);
    return;
  }
  record.own.finalize_ns.add(since(entered) - static_cast<std::uint64_t>(gathered.waited.count()));
  record.own.finalize_cpu_ns.add(nanoseconds(thread_cpu_time() - cpu_entered - gathered.waited_cpu));
  attempt([&] { write_reports(std::move(record), stem, problem); });
}

}  // namespace

void end() {
  Run& the = run();
  const std::lock_guard lock(the.changing);
  if (the.stage.load() != Stage::begun || the.process != getpid()) return;
  the.stage.store(Stage::ended, std::memory_order_release);
  // Before rank 0 writes the same file: some file systems have no locks.
  if (process_groups().world_rank() != 0) take_back_moved_run_note();
  if (!the.has_own) {
    if (wants_any_report()) attempt(write_partial);
  } else {
    if (wants_any_report() || writes_traffic() || learns_grids()) {
      attempt([&] { end_together(the); });
      leave_together(the.own);
    }
    exchange::end();
    pmpi().Comm_free(&the.own);
  }
  ExtendedRequest::end();
  calls::end();
  take_back_moved_run_note();
  process_groups().forget_all();
}

void end_alone() {
  Run& the = run();
  const std::unique_lock lock(the.changing, std::try_to_lock);  // exit() may be called within Marshal
  if (!lock || the.stage.load() != Stage::begun || the.process != getpid()) return;
  the.stage.store(Stage::ended, std::memory_order_release);
  if (wants_any_report()) write_partial();
}

}  // namespace marshal::job
