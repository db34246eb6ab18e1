#include "report/html.h"

#include <fmt/ranges.h>

#include "base/printable_text.h"
#include "report/findings.h"
#include "report/screen.h"
#include "report/sections.h"
#include "report/svg_grid.h"
#include "report/units.h"

namespace marshal::report {
namespace {

using Align = Table::Align;

std::string tile(const std::string& value, const std::string& what) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(what));
}

std::string head_section(const Record& record) {
  const Job& job = record.job;
  std::string out = fmt::format("<h1>{}</h1>\n<p class=\"soft\">", escaped(job.program));
  std::vector<std::string> facts;
  if (!job.job_id.empty())
    facts.push_back("job " + job.job_id + (job.scheduler.empty() ? "" : " (" + job.scheduler + ")"));
  if (!job.started.empty()) facts.push_back("started " + job.started);
  if (!job.host.empty()) facts.push_back("rank 0 on " + job.host);
  facts.push_back("Marshal " + job.marshal_version);
  out += escaped(fmt::format("{}", fmt::join(facts, ", "))) + "</p>\n";
  if (record.ranks.count() < job.ranks)
    out += fmt::format("<p class=\"warn\">Incomplete: {} of {} ranks recorded; missing: {}</p>\n", record.ranks.count(),
                       job.ranks, escaped(record.ranks.missing(job.ranks).text()));
  if (!record.partial.empty())
    out += fmt::format("<p class=\"warn\">Ended without MPI_Finalize: {}</p>\n", escaped(record.partial.text()));
  record.warnings.each([&](const std::string& text, const Warning& warning) {
    const std::string times = warning.count > 1 ? fmt::format("{} times, first by", warning.count) : "by";
    out += fmt::format("<p class=\"warn\">{} <span class=\"soft\">({} rank {})</span></p>\n", escaped(text), times,
                       warning.first_rank);
  });
  out += "<div class=\"tiles\">\n";
  out += tile(count_text(job.ranks), "ranks");
  out += tile(job.nodes == 0 ? "not available" : count_text(job.nodes),
              job.nodes == 0 ? "nodes"
                             : "nodes, " + range_text(job.ranks_per_node_min, job.ranks_per_node_max) + " ranks each");
  out += tile(record.own.wall_ns.samples == 0 ? "not available" : time_text(record.own.wall_ns.max), "wall time");
  out += tile(job.mpi.empty() ? "not available" : job.mpi,
              job.mpi_standard.empty() ? "MPI library" : "MPI " + job.mpi_standard);
  if (!job.thread_level.empty()) out += tile(job.thread_level, "thread level");
  if (!record.bindings.empty()) out += tile(fmt::format("{}", fmt::join(record.bindings, ", ")), "bindings");
  return out + "</div>\n";
}

std::string screen_section(const Record& record, const WhatToDo& what) {
  return fmt::format("<pre class=\"screen\">{}</pre>\n", escaped(to_screen(record, what, {})));
}

std::string findings_section(const std::vector<Finding>& findings) {
  std::string out = "<h2>What to do</h2>\n<ol class=\"findings\">\n";
  for (const Finding& finding : findings) {
    const char* css = finding.verdict == Finding::Verdict::act      ? "act"
                      : finding.verdict == Finding::Verdict::gained ? "gained"
                                                                    : "nothing";
    out += fmt::format(
        "<li class=\"{}\"><b>{}</b> <span class=\"verdict\">{}</span><p>{}</p><p class=\"action\">{}</p></li>\n", css,
        escaped(finding.what), verdict_name(finding.verdict), escaped(finding.evidence), escaped(finding.action));
  }
  return out + "</ol>\n";
}

std::string cost_section(const Record& record) {
  const OwnCost& own = record.own;
  Table table({{"Marshal itself", Align::left},
               number_column("least", {}, 1),
               number_column("mean", {}, 1),
               number_column("most", "of a process", 1)});
  const auto add = [&](const char* name, const Spread& s, auto&& shown) {
    if (s.samples == 0)
      table.add({name, "not measured", "not measured", "not measured"});
    else
      table.add({name, shown(real(s.min)), shown(s.mean()), shown(real(s.max))});
  };
  const auto time = [](double ns) { return time_cell(ns); };
  const auto bytes = [](double b) { return Cell(bytes_text(b)); };
  const auto plain = [](double n) { return Cell(number_text(n)); };
  add("wall time of the program", own.wall_ns, time);
  add("init", own.init_ns, time);
  add("init, CPU time", own.init_cpu_ns, time);
  add("waiting in init for others", own.waited_ns, time);
  add("inside calls", own.inside_ns, time);
  add("inside calls, CPU time", own.inside_cpu_ns, time);
  add("finalize", own.finalize_ns, time);
  add("finalize, CPU time", own.finalize_cpu_ns, time);
  add("rank maps at the end", own.map_bytes, bytes);
  add("rank maps at most", own.map_bytes_peak, bytes);
  add("tables shared", own.tables_shared, plain);
  add("ranks translated", own.translations, plain);
  add("process groups", own.process_groups, plain);
  return "<h2>Cost of Marshal</h2>\n" + table.html();
}

std::string calls_section(const Record& record) {
  Table table(
      {{"call", Align::left}, number_column("calls", "all processes", 1), number_column("processes", "that made any")});
  for (const auto& [name, row] : record.calls.heaviest_first([](const CallCount& c) { return c.calls; }))
    table.add({*name, count_cell(row->calls), count_cell(row->processes)});
  return table.rows() == 0 ? ""
                           : "<h2>Calls</h2>\n<details><summary>Every call that was counted</summary>\n" +
                                 table.html() + "</details>\n";
}

std::string counters_section(const Record& record) {
  Table table({{"event", Align::left}, {"packing"}, {"translation"}, {"processes"}});
  record.counters.each([&](const std::string& event, const Counter& c) {
    const Cell unknown("not available", c.unavailable);
    const bool known = c.processes != 0;
    table.add({event, known ? count_cell(c.packing) : unknown, known ? count_cell(c.translation) : unknown,
               count_cell(c.processes)});
  });
  return table.rows() == 0 ? "" : "<h2>Hardware counters</h2>\n" + table.html();
}

std::string run_details(const Record& record) {
  const Job& job = record.job;
  std::string out = "<h2>Run</h2>\n<details><summary>Command line and settings</summary>\n";
  out += fmt::format("<p class=\"mono\">{}</p>\n", escaped(fmt::format("{}", fmt::join(job.arguments, " "))));
  if (job.arguments.empty() || job.arguments.front() != job.path)
    out += fmt::format("<p class=\"mono\">{}</p>\n", escaped(job.path));
  for (const auto& [name, value] : job.settings)
    out += fmt::format("<p class=\"mono\">{}={}</p>\n", escaped(name), escaped(value));
  if (job.settings.empty()) out += "<p>All settings at their defaults.</p>\n";
  return out + "</details>\n";
}

}  // namespace

std::string to_html(const Record& record) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}: report of Marshal</title>\n<style>{}{}</style></head>\n<body>\n",
      escaped(record.job.program), page_style(), grid_style());
  const BothFindings both = both_findings(record);
  out += head_section(record) + screen_section(record, both.what_to_do) + findings_section(both.findings) +
         times_page(record) + traffic_page(record) + grids_page(record) + communicators_page(record) +
         objects_page(record) + datatypes_page(record) + cost_section(record) + counters_section(record) +
         papers_page(record) + calls_section(record) + run_details(record) + glossary_page();
  return out + fmt::format("<script>{}</script>\n</body></html>\n", page_script());
}

}  // namespace marshal::report
