// marshal report: reads the reports of a run again, merges partial ones, and prints or compares them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/message.h"
#include "base/printable_text.h"
#include "base/small_file.h"
#include "findings/findings.h"
#include "pages/pages.h"
#include "pages/table.h"
#include "record/site_names.h"
#include "record/units.h"
#include "tools/command_line.h"
#include "tools/output.h"

namespace marshal::tools {
namespace {

using report::real;
using report::Record;
using report::Table;

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

// Name of a fact -> its value as shown.
using Facts = std::map<std::string, std::string>;
// Name of a thing (a call site, a grid, a layout) -> its facts.
using Things = std::map<std::string, Facts>;

std::string mean_bytes(const report::Memory& memory) {
  return memory.available() ? report::bytes_text(memory.per_process.mean()) : "not available";
}
std::string worst_time(const report::Spread& ns) {
  return ns.samples == 0 ? "not available" : report::seconds_text(static_cast<double>(ns.max) / 1e9);
}
std::string rate(const report::PackWork& work) {
  return work.rate() == 0 ? "not timed" : report::rate_text(work.rate());
}
std::string names(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::string> all;
  for (const auto& [name, count] : counts) all.push_back(name);
  return fmt::format("{}", fmt::join(all, ", "));
}

Things job_of(const Record& record) {
  const report::Job& job = record.job;
  Facts facts = {{"program", job.program},
                 {"MPI", job.mpi},
                 {"Marshal", job.marshal_version},
                 {"ranks", report::count_text(job.ranks)},
                 {"nodes", job.nodes == 0 ? "not available" : report::count_text(job.nodes)},
                 {"ranks a node", report::range_text(job.ranks_per_node_min, job.ranks_per_node_max)},
                 {"thread level", job.thread_level},
                 {"bindings", fmt::format("{}", fmt::join(record.bindings, ", "))},
                 {"warnings", report::count_text(record.warnings.size())}};
  for (const auto& [name, value] : job.settings) facts[name] = value;
  return {{"", facts}};
}

Things cost_of(const Record& record) {
  return {{"",
           {{"longest wall time", worst_time(record.own.wall_ns)},
            {"Marshal, init", worst_time(record.own.init_ns)},
            {"Marshal, finalize", worst_time(record.own.finalize_ns)},
            {"Marshal, inside calls", worst_time(record.own.inside_ns)},
            {"rank maps at the end", report::bytes_text(static_cast<double>(record.own.map_bytes.max))}}}};
}

Things communicators_of(const Record& record) {
  Things things;
  record.communicators.each([&](const report::CallSite& site, const report::CommunicatorSite& row) {
    things[site.call + at(row.symbol, site)] = {{"count", report::count_text(row.communicators)},
                                                {"ranks", report::range_text(row.ranks.min, row.ranks.max)},
                                                {"model", names(row.models)},
                                                {"Marshal's bytes", mean_bytes(row.marshal)},
                                                {"host's bytes", mean_bytes(row.host)}};
  });
  return things;
}

Things grids_of(const Record& record) {
  Things things;
  record.grids.each([&](const report::GridKey& key, const report::Grid& grid) {
    things[dims_text(key) + at(grid.symbol, key.site)] = {
        {"count", report::count_text(grid.made)},
        {"mapper", key.mapper},
        {"moved", report::count_text(grid.moved_ranks)},
        {"Jsum in force", report::number_text(grid.after.jsum)},
        {"Jmax in force", report::number_text(grid.after.jmax)},
        {"off-node partners, mean", report::number_text(grid.after.off_node.mean())}};
  });
  return things;
}

Things datatypes_of(const Record& record) {
  Things things;
  record.datatypes.each([&](const report::LayoutKey& key, const report::DatatypeLayout& layout) {
    things[key.form] = {{"packs", report::count_text(layout.pack.calls)},
                        {"pack", rate(layout.pack)},
                        {"unpacks", report::count_text(layout.unpack.calls)},
                        {"unpack", rate(layout.unpack)},
                        {"plan", names(layout.plans)},
                        {"segment", report::count_text(layout.segment)}};
  });
  return things;
}

std::string differences(const std::string& title, const Things& before, const Things& after) {
  Table table({{title, report::Align::left, 48},
               {"", report::Align::left},
               {"before", report::Align::left, 40},
               {"after", report::Align::left, 40}});
  Things all = before;
  all.insert(after.begin(), after.end());
  for (const auto& [thing, unused] : all) {
    const auto b = before.find(thing), a = after.find(thing);
    if (b == before.end() || a == after.end()) {
      table.add({thing, "", b == before.end() ? "none" : "made", a == after.end() ? "none" : "made"});
      continue;
    }
    Facts facts = b->second;
    facts.insert(a->second.begin(), a->second.end());
    std::string shown = thing;
    for (const auto& [fact, value] : facts) {
      const auto old_value = b->second.find(fact), new_value = a->second.find(fact);
      const std::string was = old_value == b->second.end() ? "default" : old_value->second;
      const std::string is = new_value == a->second.end() ? "default" : new_value->second;
      if (was == is) continue;
      table.add({shown, fact, was, is});
      shown.clear();
    }
  }
  return table.rows() == 0 ? title + ": no difference\n" : table.text();
}

// Mean of a process, in the calls of one name.
double mean_ns(const Record& record, const std::string& call) {
  const report::CallCount* row = record.calls.find(call);
  const std::uint64_t processes = record.times.run.run_ns.samples;
  return row == nullptr || processes == 0 ? 0 : real(row->time_ns.of.sum) / real(processes);
}

void add_row(Table& table, const std::string& what, double before, double after) {
  table.add({what, report::time_text(before), report::time_text(after),
             before > 0 ? fmt::format("{:.2f}", after / before) : "none"});
}

// The calls that take most in one of the runs.
std::vector<std::string> heaviest_calls(const Record& before, const Record& after) {
  constexpr std::size_t most = 8;
  std::set<std::string> names;
  for (const Record* record : {&before, &after})
    record->calls.each([&](const std::string& name, const report::CallCount& call) {
      if (call.time_ns.of.sum != 0 && !report::begins_or_ends_mpi(name)) names.insert(name);
    });
  std::vector<std::string> sorted(names.begin(), names.end());
  const auto weight = [&](const std::string& name) { return std::max(mean_ns(before, name), mean_ns(after, name)); };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const std::string& a, const std::string& b) { return weight(a) > weight(b); });
  sorted.resize(std::min(sorted.size(), most));
  return sorted;
}

// Seconds of both runs, with their ratios: wall time, outside MPI, in MPI, and in the calls that take most.
std::string compared_times(const Record& before, const Record& after) {
  Table table({{"Time, mean of a process", report::Align::left}, {"before"}, {"after"}, {"ratio"}});
  add_row(table, "wall time", before.own.wall_ns.mean(), after.own.wall_ns.mean());
  if (before.times.measured() && after.times.measured()) {
    add_row(table, "outside MPI", before.times.run.useful_ns.of.mean(), after.times.run.useful_ns.of.mean());
    add_row(table, "in MPI", before.times.run.mpi_ns.of.mean(), after.times.run.mpi_ns.of.mean());
    for (const std::string& call : heaviest_calls(before, after))
      add_row(table, "  " + call, mean_ns(before, call), mean_ns(after, call));
  }
  return table.text();
}

// These seconds first. Then tables of the differences: the job, settings, costs, communicators by call and place, grids
// by dimensions, datatypes by layout. Rows of one run only are marked; sections without a difference say so.
std::string compare_text(const Record& before, const Record& after) {
  return compared_times(before, after) + differences("Job", job_of(before), job_of(after)) +
         differences("Cost", cost_of(before), cost_of(after)) +
         differences("Communicators", communicators_of(before), communicators_of(after)) +
         differences("Grids", grids_of(before), grids_of(after)) +
         differences("Datatypes", datatypes_of(before), datatypes_of(after));
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
  if (std::ranges::all_of(files, [](const std::string& file) { return file.ends_with(".running"); }))
    return show_stands(files, json);
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
