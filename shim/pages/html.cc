#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "base/printable_text.h"
#include "findings/findings.h"
#include "pages/pages.h"
#include "pages/pictures.h"
#include "pages/sections.h"
#include "record/units.h"

namespace marshal::report {

// The words of a report, for readers who meet them for the first time; marshal(7) has the same, at more length.
namespace {

// In the order of the alphabet.
struct {
  std::string_view word, meaning;
} constexpr words[] = {
    {"AV-Rankmap", "A published way to keep communicators: address vectors with rank maps. Computed, not measured."},
    {"bound",
     "How fast a datatype could be packed: the rate at which memcpy moves the cache lines that packing touches, or the "
     "fastest rate that was seen, if that is higher."},
    {"communicator", "A group of processes that exchange messages, as MPI_Comm_split and the like make one."},
    {"exchange", "Every process sends one message to each of its neighbours."},
    {"extent", "Bytes from the beginning of one instance of a datatype to that of the next."},
    {"extrapolated",
     "Computed for another number of ranks: bytes that grow with the ranks are scaled, the rest is kept."},
    {"finalize, init", "Marshal's part of MPI_Finalize and MPI_Init."},
    {"Jmax", "Traffic of the busiest node: the largest sum of weights of pairs with one partner on that node."},
    {"Jsum",
     "Traffic between nodes: pairs of neighbours on different nodes, each direction counted, times their weight."},
    {"layout", "The bytes that a datatype selects: types that were built in different ways may have the same layout."},
    {"mapper",
     "The method that finds an order of the processes. nodecart, hyperplane, kdtree and strips are published or simple "
     "rules, "
     "search improves the best of them step by step, best takes whichever gives the least traffic, given is the order "
     "that the program had."},
    {"membership", "One process in one communicator."},
    {"model",
     "The form of a rank map. direct, offset, stride, blockstride, md-blockstride are formulas of constant size; lut "
     "and mlut are tables, within one job and across jobs; lut-stride and the like index such a table by a formula; "
     "runs, "
     "parts, packed, elias-fano, bitmap-select, plist, range, strided, bitmap are compressed tables; off: none is "
     "kept."},
    {"moved", "A process whose place in the grid is not the one that the order given would have given it."},
    {"MPI library", "The MPI that the program uses; Marshal stands in front of it. The manual calls it the host."},
    {"neighbours",
     "Processes whose cells touch in the grid, as MARSHAL_CART_STENCIL says; star: along each dimension."},
    {"pack", "To copy the scattered bytes of a datatype into one block (MPI_Pack); unpack: back again."},
    {"predicted", "Computed from assumptions: messages of equal size, and the rates that marshal(7) names."},
    {"rank map", "Which process has which rank in a communicator."},
    {"segment",
     "Instances of a datatype that are packed together: one element of all of them is copied, then the next element."},
    {"VC-VCRT",
     "A published way to keep communicators: virtual connections with a reference table a communicator. Computed, not "
     "measured."},
};

}  // namespace

std::string glossary_page() {
  std::string out = "<h2>Words</h2>\n<dl>\n";
  for (const auto& [word, meaning] : words)
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(word), escaped(meaning));
  return out + "</dl>\n";
}

// The style and the script of the HTML report.
std::string_view page_style() {
  return R"css(
:root { color-scheme: light dark; --ground: #fff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --band: #f6f8fa; --warn: #9a6700;
  --c0: #0969da; --c1: #bc4c00; --c2: #8250df; --c3: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --ink: #e6edf3; --soft: #9198a1; --line: #30363d; --band: #161b22;
  --warn: #d29922; --c0: #4493f8; --c1: #f0883e; --c2: #ab7df8; --c3: #3fb950; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 84rem; font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin: 2rem 0 .4rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1rem 0 .3rem; overflow-wrap: anywhere; } p { margin: .3rem 0; }
.soft { color: var(--soft); } .warn { border-left: .25rem solid var(--warn); background: var(--band); padding: .4rem .8rem; margin: .5rem 0; overflow-wrap: anywhere; } .mono { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
pre.screen { font: .8rem/1.35 ui-monospace, monospace; background: var(--band); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .8rem; margin: .8rem 0; width: max-content; max-width: 100%; overflow-x: auto; }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; margin: .8rem 0; }
.tile { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .8rem; background: var(--band); min-width: 7.5rem; }
.tile b { display: block; font-size: 1.2rem; } .tile span { color: var(--soft); font-size: .85rem; }
.findings { padding-left: 0; margin: .4rem 0; counter-reset: finding; list-style: none; }
.findings li { counter-increment: finding; border-left: .25rem solid var(--line); background: var(--band); padding: .5rem .8rem; margin: .5rem 0; overflow-wrap: anywhere; }
.findings li > b::before { content: counter(finding) ". "; } .findings .act { border-color: var(--c1); } .findings .gained { border-color: var(--c3); }
.verdict { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem; font-size: .8rem; color: var(--soft); white-space: nowrap; } .act .verdict { color: var(--c1); border-color: var(--c1); } .gained .verdict { color: var(--c3); border-color: var(--c3); }
.action::before { content: "\2192\a0"; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .4rem 0; } dt { font-weight: 600; } dd { margin: 0; }
.wide { overflow-x: auto; } .side { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: flex-start; } .side > figure { flex: 1 1 20rem; max-width: 34rem; } .grids > figure { flex: 0 1 auto; }
figure { margin: .5rem 0; min-width: 0; } figcaption { color: var(--soft); font-size: .85rem; }
table { border-collapse: collapse; font-size: .88rem; margin: .4rem 0; } th, td { padding: .2rem .6rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { padding-left: 0; }
th { vertical-align: bottom; white-space: normal; border-bottom: 2px solid var(--line); } td { border-bottom: 1px solid var(--line); }
th.l, td.l { text-align: left; } td { vertical-align: top; } td.l { white-space: normal; overflow-wrap: break-word; max-width: 18rem; } td.l:first-child { min-width: 9rem; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } th, td { padding: .2rem .35rem; } .grids table td.l:first-child { min-width: 0; } }
@media (max-width: 84rem) {
  .wide { border: 1px solid var(--line); border-radius: .4rem; padding: 0 .5rem; } .wide table { margin-right: .5rem; }
  /* A shadow at the right edge, as long as there is more to the right. */
  .wide, pre.screen { --cover: var(--ground); background: linear-gradient(to left, var(--cover) 1rem, transparent) right / 2rem 100% no-repeat local,
    linear-gradient(to left, rgba(127, 127, 127, .4), transparent) right / .7rem 100% no-repeat scroll, var(--cover); } pre.screen { --cover: var(--band); } }
th button { all: unset; cursor: pointer; font-weight: 600; } th button::after { content: "\a0\2195"; color: var(--soft); font-weight: 400; } th button:hover::after { color: var(--c0); } th button:focus-visible { outline: 2px solid var(--c0); }
th[aria-sort=ascending] button::after { content: "\a0\2191"; color: var(--c0); } th[aria-sort=descending] button::after { content: "\a0\2193"; color: var(--c0); }
td > i { display: block; height: .25rem; background: var(--c0); opacity: .6; }
.ranks { display: flex; align-items: flex-end; height: 7rem; max-width: 34rem; border: solid var(--line); border-width: 1px 0; } .ranks b { flex: 1 1 0; min-width: 0; display: flex; align-items: flex-end; background: var(--c1); } .ranks i { flex: 1; background: var(--c0); }
svg.grid { max-width: 100%; height: auto; background: var(--band); } svg.layout { width: 8rem; height: 1rem; background: var(--line); }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft); } svg.plate text { fill: #222; } .c0 { fill: var(--c0); }
details > summary { cursor: pointer; color: var(--soft); }
@media print { :root { --ground: #fff; --ink: #000; --soft: #444; --line: #bbb; --band: #fff; } body { max-width: none; padding: 0; font-size: 10pt; }
  .wide { overflow: visible; border: none; padding: 0; } .wide, pre.screen { background: none; } pre.screen { font-size: 6.5pt; overflow: visible; max-width: none; } table { font-size: 7pt; } th, td { padding: .1rem .2rem; white-space: normal; } figure, tr, .tile { break-inside: avoid; } svg.layout { width: 5rem; } th button::after { content: ""; } .findings li { break-inside: avoid; }
  td.l { overflow-wrap: anywhere; min-width: 7em; } td.l:first-child { min-width: 11em; } h2, h3 { break-after: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)css";
}

std::string_view page_script() {
  // Sorts a table by the column whose head was pressed: numbers by data-v, largest first; texts from a to z. Unfolds on
  // paper what is folded on the screen.
  return R"js(
for (const head of document.querySelectorAll("table.sortable th")) {
  const button = head.querySelector("button");
  button.addEventListener("click", () => {
    const table = head.closest("table"), body = table.tBodies[0], column = head.cellIndex;
    const rows = [...body.rows], numeric = rows.some(r => r.cells[column].dataset.v !== undefined);
    const falling = head.ariaSort ? head.ariaSort === "ascending" : numeric;
    const value = r => numeric ? Number(r.cells[column].dataset.v ?? -Infinity) : r.cells[column].textContent;
    const order = (a, b) => numeric ? value(a) - value(b) : value(a).localeCompare(value(b));
    rows.sort((a, b) => falling ? order(b, a) : order(a, b));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    body.append(...rows);
  });
}
const folded = document.querySelectorAll("details:not([open])");
addEventListener("beforeprint", () => { for (const part of folded) part.open = true; });
addEventListener("afterprint", () => { for (const part of folded) part.open = false; });
)js";
}

namespace {

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
