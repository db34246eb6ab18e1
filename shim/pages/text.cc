#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/printable_text.h"
#include "findings/findings.h"
#include "pages/pages.h"
#include "pages/sections.h"
#include "pages/table.h"
#include "record/units.h"

namespace marshal::report {
namespace {

// Words of the text, in lines of `width` that begin with `indent` blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out;
  for (const std::string& line : wrap(printable(text), width - indent)) out += std::string(indent, ' ') + line + "\n";
  return out;
}

std::string head(const Record& record) {
  const Job& job = record.job;
  std::string out =
      fmt::format("{}{}, ", printable(job.program),
                  job.job_id.empty() ? ""
                                     : fmt::format(" (job {}{})", printable(job.job_id),
                                                   job.scheduler.empty() ? "" : ", " + printable(job.scheduler)));
  out += fmt::format("{}{}, {} rank{}", job.mpi.empty() ? "MPI not available" : printable(job.mpi),
                     job.mpi_standard.empty() ? "" : " (MPI " + printable(job.mpi_standard) + ")", job.ranks,
                     job.ranks == 1 ? "" : "s");
  if (job.nodes != 0)
    out += fmt::format(" on {} node{} ({} a node)", job.nodes, job.nodes == 1 ? "" : "s",
                       range_text(job.ranks_per_node_min, job.ranks_per_node_max));
  else
    out += ", nodes not available";
  out += fmt::format(", {}\n",
                     record.own.wall_ns.samples == 0 ? "wall time not available" : time_text(record.own.wall_ns.max));
  std::vector<std::string> details(record.bindings.begin(), record.bindings.end());
  if (!job.thread_level.empty()) details.push_back(job.thread_level);
  if (!job.started.empty()) details.push_back("started " + job.started);
  if (!details.empty()) out += printable(fmt::format("{}", fmt::join(details, ", "))) + "\n";
  if (!job.settings.empty()) {
    std::vector<std::string> settings;
    for (const auto& [name, value] : job.settings) settings.push_back(fmt::format("{}={}", name, value));
    out += printable(fmt::format("{}", fmt::join(settings, ", "))) + "\n";
  }
  if (record.ranks.count() < job.ranks)
    out += fmt::format("INCOMPLETE: {} of {} ranks recorded; missing: {}\n", record.ranks.count(), job.ranks,
                       record.ranks.missing(job.ranks).text());
  if (!record.partial.empty())
    out += fmt::format("{} rank{} ended without MPI_Finalize: {}\n", record.partial.count(),
                       record.partial.count() == 1 ? "" : "s", record.partial.text());
  return out;
}

std::string findings_text(const Record& record, const TextStyle& style) {
  std::string out = "What to do:\n";
  std::size_t number = 0;
  for (const Finding& finding : findings(record)) {
    std::string first = wrapped(finding.what, style.width, 5);
    first.replace(2, 2, fmt::format("{}.", ++number));
    out += first + wrapped(finding.evidence, style.width, 5) + wrapped("-> " + finding.action, style.width, 5);
  }
  return out;
}

// Only where there were any.
std::string files(const Record& record) {
  const Files& files = record.files;
  if (files.opened + files.written.calls + files.read.calls == 0) return {};
  const auto accesses = [](const CallsAndBytes& some) {
    return fmt::format("{} in {}", bytes_text(some.bytes), counted(some.calls, "call"));
  };
  return fmt::format("Files: {} opened, counted in each process; written {}, read {}; packed first: {}\n",
                     count_text(files.opened), accesses(files.written), accesses(files.read),
                     bytes_text(files.packed.bytes));
}

// Only where some were tried.
std::string exchanges(const Record& record) {
  const Exchanges& e = record.exchanges;
  if (e.calls == 0) return {};
  return fmt::format(
      "Exchanges: {} on communicators that were tried, counted in each process; {} by nodes, {} begun so and made by "
      "the "
      "MPI library; between nodes {} of {}, in place of {} of {}; {} in place of {} by the trial\n",
      counted(e.calls, "call"), count_text(e.by_nodes), count_text(e.fell_back), counted(e.messages, "message"),
      bytes_text(e.bytes), count_text(e.messages_apart), bytes_text(e.bytes_apart), time_text(e.ns),
      time_text(e.ns_by_host));
}

std::string cost(const Record& record) {
  const OwnCost& own = record.own;
  const auto worst = [](const Spread& wall, const Spread& cpu) {
    if (wall.samples == 0) return std::string("not available");
    return fmt::format("{} (CPU {})", time_text(wall.max), cpu.samples == 0 ? "not available" : time_text(cpu.max));
  };
  std::string out = fmt::format("Marshal itself, in the slowest process: init {}, inside calls {}, finalize {}",
                                worst(own.init_ns, own.init_cpu_ns), worst(own.inside_ns, own.inside_cpu_ns),
                                worst(own.finalize_ns, own.finalize_cpu_ns));
  if (const auto share = own.share()) out += fmt::format("; {} of the time of all processes", percent_text(*share));
  if (const auto share = own.cpu_share()) out += fmt::format(" (CPU {})", percent_text(*share));
  if (own.map_bytes_peak.samples != 0) out += fmt::format("; rank maps at most {}", bytes_text(own.map_bytes_peak.max));
  return out + "\n";
}

std::string counters(const Record& record) {
  std::string out;
  record.counters.each([&](const std::string& event, const Counter& counter) {
    if (counter.processes == 0)
      out += fmt::format("Counter {}: not available ({})\n", printable(event), printable(counter.unavailable));
    else
      out +=
          fmt::format("Counter {}: {} while packing, {} while translating ranks, in {} processes\n", printable(event),
                      count_text(counter.packing), count_text(counter.translation), counter.processes);
  });
  return out;
}

std::string warnings(const Record& record) {
  std::string out;
  record.warnings.each([&](const std::string& text, const Warning& warning) {
    out += fmt::format("Warning: {}{}\n", printable(text),
                       warning.count > 1 ? fmt::format(" ({} times, first rank {})", warning.count, warning.first_rank)
                                         : fmt::format(" (rank {})", warning.first_rank));
  });
  return out;
}

}  // namespace

std::string to_text(const Record& record, const std::string& json_path, TextStyle style) {
  const std::string title = fmt::format("Marshal {} ", record.job.marshal_version);
  std::string out = title + std::string(style.width > title.size() ? style.width - title.size() : 0, '-') + "\n";
  const std::size_t rows = style.rows_of_a_table;
  out += head(record) + warnings(record) + findings_text(record, style) + times_text(record, rows) +
         traffic_text(record) + grids_text(record, rows) + communicators_text(record, rows) +
         objects_text(record, rows) + datatypes_text(record, rows) + files(record) + exchanges(record) + cost(record) +
         counters(record) + papers_text(record);
  if (record.warnings.empty()) out += "Warnings: 0\n";
  if (!json_path.empty()) out += fmt::format("Whole report: marshal report {}\n", shell_word(json_path));
  return out + std::string(style.width, '-') + "\n";
}

}  // namespace marshal::report
