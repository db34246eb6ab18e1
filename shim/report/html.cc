#include "report/html.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "report/findings.h"
#include "report/glossary.h"
#include "report/html_assets.h"
#include "report/html_table.h"
#include "report/ranked_rows.h"
#include "report/svg_charts.h"
#include "report/svg_grid.h"
#include "report/units.h"

namespace marshal::report {
namespace {

using Cell = HtmlTable::Cell;

constexpr std::size_t kMostChartRows = 12;
constexpr std::size_t kPictureBudget = 1200000;  // bytes of grid pictures in one page

std::string tile(const std::string& value, const std::string& what) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(what));
}

std::string figure(const std::string& picture, const std::string& caption) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture, escaped(caption));
}

std::string where(const std::string& symbol, const CallSite& site) {
  const std::string place = symbol.empty() ? place_text(site) : symbol;
  return place.empty() ? "not recorded" : place;
}

Cell count(std::uint64_t value) { return HtmlTable::number(static_cast<double>(value), count_text(value)); }
Cell seconds(std::uint64_t ns) {
  return HtmlTable::number(static_cast<double>(ns), seconds_text(static_cast<double>(ns) / 1e9));
}
Cell bytes(double value) { return HtmlTable::number(value, bytes_text(value)); }
Cell at_most(const Memory& m, double value) {
  return HtmlTable::number(value, (m.at_most != 0 ? "\u2264 " : "") + bytes_text(value));
}
Cell memory(const Memory& m) {
  return m.available() ? at_most(m, m.per_process.mean()) : HtmlTable::unknown("not available", m.unavailable);
}
Cell projected(const Memory& m, const Job& job) {
  if (!m.available() || job.ranks == 0) return HtmlTable::unknown("not available", m.unavailable);
  if (!m.can_be_projected()) return HtmlTable::unknown("not measurable", m.not_projected);
  return at_most(m, m.projected(job.ranks, job.project_ranks));
}

std::string joined(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::string> parts;
  for (const auto& [name, n] : counts) parts.push_back(counts.size() == 1 ? name : fmt::format("{} ({})", name, n));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string head(const Record& record) {
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
  out += tile(record.own.wall_ns.samples == 0 ? "not available"
                                              : seconds_text(static_cast<double>(record.own.wall_ns.max) / 1e9),
              "wall time");
  out += tile(job.mpi.empty() ? "not available" : job.mpi,
              job.mpi_standard.empty() ? "MPI library" : "MPI " + job.mpi_standard);
  if (!job.thread_level.empty()) out += tile(job.thread_level, "thread level");
  if (!record.bindings.empty()) out += tile(fmt::format("{}", fmt::join(record.bindings, ", ")), "bindings");
  return out + "</div>\n";
}

std::string what_to_do(const Record& record) {
  std::string out = "<h2>What to do</h2>\n<ol class=\"findings\">\n";
  for (const Finding& finding : findings(record)) {
    const char* css = finding.verdict == Finding::Verdict::act      ? "act"
                      : finding.verdict == Finding::Verdict::gained ? "gained"
                                                                    : "nothing";
    out += fmt::format(
        "<li class=\"{}\"><b>{}</b> <span class=\"verdict\">{}</span><p>{}</p><p class=\"action\">{}</p></li>\n", css,
        escaped(finding.what), verdict_name(finding.verdict), escaped(finding.evidence), escaped(finding.action));
  }
  return out + "</ol>\n";
}

CommunicatorSite all_sites(const Record& record) {
  CommunicatorSite all = record.communicators.others();
  record.communicators.each([&](const CallSite&, const CommunicatorSite& site) { all.merge(site); });
  return all;
}

// Bytes of a process with the number of ranks: all communicators together.
std::string growth_figure(const Record& record, const std::vector<std::pair<std::string, const Memory*>>& forms,
                          const std::string& caption) {
  const std::uint64_t ranks = std::max<std::uint64_t>(1, record.job.ranks);
  const auto recorded = static_cast<double>(std::max<std::uint64_t>(1, record.ranks.count()));
  std::vector<Curve> curves;
  for (const auto& [name, m] : forms) {
    if (!m->can_be_projected()) continue;
    const double growing = static_cast<double>(m->growing) / recorded;
    curves.push_back(
        {name, static_cast<double>(m->per_process.sum) / recorded - growing, growing / static_cast<double>(ranks)});
  }
  if (curves.empty()) return {};
  const std::uint64_t to = std::max(record.job.project_ranks, 2 * ranks);
  return figure(growth_chart(curves, ranks, to, "Bytes of a process with the number of ranks"), caption);
}

// Bytes of a process by call site.
using MemoryOf = const Memory& (*)(const CommunicatorSite&);
std::string site_bytes_figure(const Record& record, const std::vector<std::pair<std::string, MemoryOf>>& forms,
                              const std::string& caption) {
  std::vector<BarGroup> groups;
  std::vector<std::string> names;
  for (const auto& [name, memory_of] : forms) names.push_back(name);
  for (const auto& [key, site] :
       heaviest_first(record.communicators, [](const CommunicatorSite& s) { return s.made.sum; })) {
    if (groups.size() == kMostChartRows) break;
    BarGroup group{where(site->symbol, *key), {}};
    for (const auto& [name, memory_of] : forms) {
      const Memory& m = memory_of(*site);
      group.bytes.push_back(m.available() ? m.per_process.mean() : -1);
    }
    groups.push_back(std::move(group));
  }
  return figure(byte_groups_chart(groups, names, "Bytes of a process by call site"), caption);
}

const Memory& marshal_of(const CommunicatorSite& s) { return s.marshal; }
const Memory& host_of(const CommunicatorSite& s) { return s.host; }
const Memory& vc_vcrt_of(const CommunicatorSite& s) { return s.vc_vcrt; }
const Memory& av_rankmap_of(const CommunicatorSite& s) { return s.av_rankmap; }

std::string communicators(const Record& record) {
  const auto rows = heaviest_first(record.communicators, [](const CommunicatorSite& s) { return s.made.sum; });
  std::string out = "<h2>Communicators</h2>\n";
  if (rows.empty()) return out + "<p>0 made.</p>\n";
  const CommunicatorSite all = all_sites(record);
  out += fmt::format(
      "<p>{} made at {} call site{}. Bytes are those at the peak, averaged over the processes that have "
      "such communicators.",
      count_text(all.communicators), rows.size(), rows.size() == 1 ? "" : "s");
  if (all.host_in_passing.sum != 0)
    out += fmt::format(" For itself, in these calls, the MPI library took up to {} more in a process.",
                       bytes_text(static_cast<double>(all.host_in_passing.max)));
  out += "</p>\n<div class=\"side\">\n";
  out += site_bytes_figure(record, {{"Marshal", marshal_of}, {"MPI library", host_of}},
                           "Bytes in a process by call site, logarithmic: what Marshal keeps, and what the MPI library "
                           "allocated, measured.");
  out += growth_figure(record, {{"Marshal", &all.marshal}, {"MPI library", &all.host}},
                       "All communicators of a process, extrapolated with the number of ranks: what grows with them is "
                       "scaled, the rest is kept.");
  out += "</div>\n";
  const std::string at = " at " + ranks_text(record.job.project_ranks);
  HtmlTable table({{"made by", true, {}},
                   {"at", true, "function, file and line, or module and offset"},
                   {"count", false, "distinct communicators"},
                   {"ranks", false, "least and most in one communicator"},
                   {"freed", false, "memberships freed"},
                   {"Marshal", false, "bytes of rank maps in a process"},
                   {"MPI library", false, "bytes that it allocated for them, measured"},
                   {"Marshal" + at, false, "extrapolated"},
                   {"MPI library" + at, false, "extrapolated"},
                   {"MPI library's time", false, "in its calls, mean of a membership"},
                   {"Marshal's time", false, "around them, mean of a membership"}});
  const auto mean_ns = [](std::uint64_t ns, const Spread& made) { return seconds(made.sum == 0 ? 0 : ns / made.sum); };
  const auto add = [&](const std::string& call, const std::string& place, const CommunicatorSite& s) {
    table.add({HtmlTable::text(call), HtmlTable::text(place), count(s.communicators),
               HtmlTable::number(static_cast<double>(s.ranks.max), range_text(s.ranks.min, s.ranks.max)),
               count(s.freed.sum), memory(s.marshal), memory(s.host), projected(s.marshal, record.job),
               projected(s.host, record.job), mean_ns(s.creation_ns, s.made), mean_ns(s.marshal_ns, s.made)});
  };
  for (const auto& [key, site] : rows) add(key->call, where(site->symbol, *key), *site);
  if (record.communicators.overflowed()) add("others", "further call sites", record.communicators.others());
  return out + table.html();
}

// Forms of rank maps, and what the two published ways to keep communicators would take.
std::string papers(const Record& record) {
  const auto rows = heaviest_first(record.communicators, [](const CommunicatorSite& s) { return s.made.sum; });
  if (rows.empty()) return {};
  const CommunicatorSite all = all_sites(record);
  std::string out =
      "<h2>For readers of the papers</h2>\n<p>The models of the rank maps, and what the two published ways to keep "
      "communicators would take: VC-VCRT and AV-Rankmap, computed.</p>\n<div class=\"side\">\n";
  out += site_bytes_figure(
      record,
      {{"Marshal", marshal_of}, {"MPI library", host_of}, {"VC-VCRT", vc_vcrt_of}, {"AV-Rankmap", av_rankmap_of}},
      "Bytes in a process by call site, logarithmic.");
  out += growth_figure(record,
                       {{"Marshal", &all.marshal},
                        {"MPI library", &all.host},
                        {"VC-VCRT", &all.vc_vcrt},
                        {"AV-Rankmap", &all.av_rankmap}},
                       "All communicators of a process, extrapolated with the number of ranks.");
  out += "</div>\n";
  const std::string at = " at " + ranks_text(record.job.project_ranks);
  HtmlTable table({{"made by", true, {}},
                   {"at", true, {}},
                   {"model", true, "form of the rank map, with memberships"},
                   {"VC-VCRT", false, "virtual connections with a reference table a communicator"},
                   {"AV-Rankmap", false, "address vectors with rank maps"},
                   {"VC-VCRT" + at, false, "extrapolated"},
                   {"AV-Rankmap" + at, false, "extrapolated"}});
  for (const auto& [key, s] : rows)
    table.add({HtmlTable::text(key->call), HtmlTable::text(where(s->symbol, *key)), HtmlTable::text(joined(s->models)),
               memory(s->vc_vcrt), memory(s->av_rankmap), projected(s->vc_vcrt, record.job),
               projected(s->av_rankmap, record.job)});
  return out + table.html();
}

std::string glossary_list() {
  std::string out = "<h2>Words</h2>\n<dl>\n";
  for (const Word& word : glossary())
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(word.word), escaped(word.meaning));
  return out + "</dl>\n";
}

std::string metrics_rows(const Grid& grid) {
  HtmlTable table({{"measure", true, {}}, {"order given", false, {}}, {"order in force", false, {}}});
  const auto row = [&](const std::string& name, double before, double after) {
    table.add({HtmlTable::text(name), HtmlTable::number(before, number_text(before)),
               HtmlTable::number(after, number_text(after))});
  };
  row("traffic between nodes (Jsum)", grid.before.jsum, grid.after.jsum);
  row("traffic of the busiest node (Jmax)", grid.before.jmax, grid.after.jmax);
  const auto partners = [&](const std::string& where, const Spread& before, const Spread& after) {
    row("partners " + where + ", least", static_cast<double>(before.min), static_cast<double>(after.min));
    row("partners " + where + ", most", static_cast<double>(before.max), static_cast<double>(after.max));
    row("partners " + where + ", mean", before.mean(), after.mean());
  };
  partners("on the same node", grid.before.on_node, grid.after.on_node);
  partners("on other nodes", grid.before.off_node, grid.after.off_node);
  if (grid.before.predicted_exchange_s > 0) {
    table.add({HtmlTable::text("halo exchange, predicted"),
               HtmlTable::number(grid.before.predicted_exchange_s, seconds_text(grid.before.predicted_exchange_s)),
               HtmlTable::number(grid.after.predicted_exchange_s, seconds_text(grid.after.predicted_exchange_s))});
    table.add({HtmlTable::text("the prediction is limited by the"), HtmlTable::text(grid.before.limited_by),
               HtmlTable::text(grid.after.limited_by)});
  }
  return table.html();
}

std::string grids(const Record& record) {
  const auto rows = heaviest_first(record.grids, [](const Grid& g) { return g.processes * g.made; });
  std::string out = "<h2>Grids</h2>\n";
  if (rows.empty()) return out + "<p>0 made.</p>\n";
  out +=
      "<p>Traffic between nodes (Jsum) counts pairs of neighbouring processes on different nodes, each with its "
      "weight. "
      "It is counted from the grid, not measured in bytes.</p>\n";
  std::size_t drawn = 0;
  for (const auto& [key, grid] : rows) {
    const std::string dims = key->dims.empty() ? "graph" : fmt::format("{}", fmt::join(key->dims, " x "));
    out += fmt::format("<h3>{}, by {}, at {}</h3>\n<p>", dims, escaped(key->mapper),
                       escaped(where(grid->symbol, key->site)));
    out += fmt::format("{} made, {} processes on {} nodes, {} moved; stencil {}, weights {}; ", count_text(grid->made),
                       count_text(grid->processes), count_text(grid->nodes), count_text(grid->moved_ranks),
                       escaped(grid->stencil), escaped(grid->weights));
    out += grid->lower_bound > 0 ? "no order has a Jsum below " + number_text(grid->lower_bound)
                                 : std::string("the least possible Jsum is not known");
    out += grid->mapping_ns.samples == 0
               ? ".</p>\n"
               : fmt::format("; mapped in {}.</p>\n", seconds_text(grid->mapping_ns.mean() / 1e9));
    if (!grid->jsum_by_mapper.empty()) {
      out += "<p>Jsum that each mapper reached:";
      for (const auto& [mapper, jsum] : grid->jsum_by_mapper)
        out += fmt::format(" {} {};", escaped(mapper), number_text(static_cast<double>(jsum)));
      out.back() = '.';
      out += "</p>\n";
    }
    if (!grid->reason.empty()) out += fmt::format("<p>{}</p>\n", escaped(grid->reason));
    const std::string before = grid_picture(key->dims, grid->before.node_runs, "order given"),
                      after = grid_picture(key->dims, grid->after.node_runs, "order in force");
    out += "<div class=\"side grids\">\n";
    if (before.empty() || after.empty()) {
      out += "<p class=\"soft\">Too large to draw.</p>\n";
    } else if (drawn + before.size() + after.size() > kPictureBudget) {
      out += "<p class=\"soft\">Not drawn, to keep this page small.</p>\n";
    } else {
      drawn += before.size() + after.size();
      out += figure(before, "Order given: a colour for each node") + figure(after, "Order in force");
    }
    out += "<figure>" + metrics_rows(*grid) + "</figure></div>\n";
  }
  return out + (record.grids.overflowed() ? "<p class=\"soft\">Further grids are not listed.</p>\n" : "");
}

Cell bandwidth(double rate) {
  return rate == 0 ? HtmlTable::unknown("not timed", {}) : HtmlTable::number(rate, rate_text(rate));
}

// What a datatype selects: as text and as a picture, with what is known of one instance. No picture where nobody read
// what the type is made of.
Cell layout_cell(const LayoutKey& key, const DatatypeLayout& d) {
  std::vector<std::string> details;
  if (d.size != 0)
    details.push_back(
        fmt::format("{} in {}", bytes_text(static_cast<double>(d.size)), bytes_text(static_cast<double>(d.extent))));
  if (d.blocks != 0) details.push_back(fmt::format("{} block{}", count_text(d.blocks), d.blocks == 1 ? "" : "s"));
  if (d.segment != 0) details.push_back(fmt::format("segments of {}", count_text(d.segment)));
  details.push_back(fmt::format("{} committed", count_text(d.commits)));
  const std::string shown = d.blocks > d.picture.size()
                                ? fmt::format("the first {} of {} blocks", d.picture.size(), d.blocks)
                                : fmt::format("all {} blocks", d.blocks);
  return {fmt::format("{}<br/>{}<span class=\"soft\">{}</span>", escaped(key.form),
                      d.picture.empty() ? "" : layout_picture(d.picture, shown) + "<br/>", fmt::join(details, ", ")),
          0, true};
}

std::string datatypes(const Record& record) {
  const auto rows =
      heaviest_first(record.datatypes, [](const DatatypeLayout& d) { return d.pack.bytes + d.unpack.bytes; });
  std::string out = "<h2>Datatypes</h2>\n";
  if (rows.empty()) return out + "<p>0 committed.</p>\n";
  HtmlTable table(
      {{"layout", true, "which bytes hold data; packed bytes of one instance in its extent; contiguous pieces"},
       {"at", true, "where the first of them was committed"},
       {"packs", false, {}},
       {"unpacks", false, {}},
       {"bytes", false, "packed and unpacked"},
       {"pack", false, "bandwidth"},
       {"unpack", false, "bandwidth"},
       {"MPI library", false, "its bandwidth, where it was measured"},
       {"bound", false, "the most that touching these cache lines allows"},
       {"packed by", true, "engine or kernel, or the MPI library and why"}});
  std::vector<Bar> bars;
  for (const auto& [key, d] : rows) {
    PackWork both = d->pack;
    both.merge(d->unpack);
    table.add({layout_cell(*key, *d), HtmlTable::text(where(d->symbol, d->site)), count(d->pack.calls),
               count(d->unpack.calls), bytes(static_cast<double>(both.bytes)), bandwidth(d->pack.rate()),
               bandwidth(d->unpack.rate()), bandwidth(both.host_rate()),
               d->touched_bound_bytes_per_s == 0
                   ? HtmlTable::unknown("not measured", {})
                   : HtmlTable::number(static_cast<double>(d->touched_bound_bytes_per_s),
                                       rate_text(static_cast<double>(d->touched_bound_bytes_per_s))),
               HtmlTable::text(joined(d->plans))});
    if (bars.size() + 3 > 3 * kMostChartRows || both.rate() == 0) continue;
    bars.push_back({key->form, both.rate(), rate_text(both.rate()), 0});
    if (both.host_rate() != 0) bars.push_back({"MPI library", both.host_rate(), rate_text(both.host_rate()), 1});
    if (d->touched_bound_bytes_per_s != 0)
      bars.push_back({"bound", static_cast<double>(d->touched_bound_bytes_per_s),
                      rate_text(static_cast<double>(d->touched_bound_bytes_per_s)), 3});
  }
  if (!bars.empty())
    out += figure(bar_chart(bars, "Bandwidth of packing and unpacking"),
                  "Packing and unpacking together, by layout; the MPI library where it was measured; the bound is what "
                  "moving the cache "
                  "lines that are touched, and nothing else, would reach.");
  return out + table.html();
}

std::string cost(const Record& record) {
  HtmlTable table(
      {{"Marshal itself", true, {}}, {"least", false, {}}, {"mean", false, {}}, {"most", false, "of a process"}});
  const auto add = [&](const char* name, const Spread& s, auto&& shown) {
    if (s.samples == 0)
      table.add({HtmlTable::text(name), HtmlTable::unknown("not measured", {}), HtmlTable::unknown("not measured", {}),
                 HtmlTable::unknown("not measured", {})});
    else
      table.add({HtmlTable::text(name), shown(static_cast<double>(s.min)), shown(s.mean()),
                 shown(static_cast<double>(s.max))});
  };
  const auto time = [](double ns) { return HtmlTable::number(ns, seconds_text(ns / 1e9)); };
  const auto plain = [](double n) { return HtmlTable::number(n, number_text(n)); };
  add("init", record.own.init_ns, time);
  add("init, CPU time", record.own.init_cpu_ns, time);
  add("waiting in init for others", record.own.waited_ns, time);
  add("inside calls", record.own.inside_ns, time);
  add("inside calls, CPU time", record.own.inside_cpu_ns, time);
  add("finalize", record.own.finalize_ns, time);
  add("finalize, CPU time", record.own.finalize_cpu_ns, time);
  add("rank maps at the end", record.own.map_bytes, [](double b) { return bytes(b); });
  add("rank maps at most", record.own.map_bytes_peak, [](double b) { return bytes(b); });
  add("tables shared", record.own.tables_shared, plain);
  add("ranks translated", record.own.translations, plain);
  add("process groups", record.own.process_groups, plain);
  std::vector<Bar> bars;
  const auto bar = [&](const char* name, const Spread& s, int series) {
    if (s.samples != 0) bars.push_back({name, s.mean(), seconds_text(s.mean() / 1e9), series});
  };
  bar("wall time", record.own.wall_ns, 3);
  bar("init", record.own.init_ns, 0);
  bar("inside calls", record.own.inside_ns, 0);
  bar("finalize", record.own.finalize_ns, 0);
  std::string out = "<h2>Cost of Marshal</h2>\n<div class=\"side\">\n";
  if (!bars.empty())
    out += figure(bar_chart(bars, "Time of Marshal beside the wall time"),
                  "Time of Marshal itself beside the wall time of the program, means of a process.");
  return out + "<figure>" + table.html() + "</figure></div>\n";
}

std::string calls(const Record& record) {
  HtmlTable table({{"call", true, {}}, {"calls", false, "all processes"}, {"processes", false, "that made any"}});
  for (const auto& [name, row] : heaviest_first(record.calls, [](const CallCount& c) { return c.calls; }))
    table.add({HtmlTable::text(*name), count(row->calls), count(row->processes)});
  return table.empty() ? ""
                       : "<h2>Calls</h2>\n<details><summary>Every call that was counted</summary>\n" + table.html() +
                             "</details>\n";
}

std::string counters(const Record& record) {
  HtmlTable counters(
      {{"event", true, {}}, {"packing", false, {}}, {"translation", false, {}}, {"processes", false, {}}});
  record.counters.each([&](const std::string& event, const Counter& c) {
    if (c.processes == 0)
      counters.add({HtmlTable::text(event), HtmlTable::unknown("not available", c.unavailable),
                    HtmlTable::unknown("not available", c.unavailable), count(0)});
    else
      counters.add({HtmlTable::text(event), count(c.packing), count(c.translation), count(c.processes)});
  });
  return counters.empty() ? "" : "<h2>Hardware counters</h2>\n" + counters.html();
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
      "<title>{}: report of Marshal</title>\n<style>{}</style></head>\n<body>\n",
      escaped(record.job.program), html_style());
  out += head(record) + what_to_do(record) + grids(record) + communicators(record) + datatypes(record) + cost(record) +
         counters(record) + papers(record) + calls(record) + run_details(record) + glossary_list();
  return out + fmt::format("<script>{}</script>\n</body></html>\n", html_script());
}

}  // namespace marshal::report
