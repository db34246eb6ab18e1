#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/html_assets.h"
#include "report/html_table.h"
#include "report/outcomes.h"
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
Cell memory(const Memory& m) { return m.available() ? bytes(m.per_process.mean()) : HtmlTable::unknown(m.unavailable); }
Cell projected(const Memory& m, const Job& job) {
  return m.available() && job.ranks != 0 ? bytes(m.projected(job.ranks, job.project_ranks))
                                         : HtmlTable::unknown(m.unavailable);
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
  if (const std::vector<Outcome> all = outcomes(record); !all.empty()) {
    out += "<div class=\"tiles outcomes\">\n";
    for (const Outcome& outcome : all)
      out += fmt::format("<div class=\"tile\"><b>{}</b>{}<span>{}</span></div>\n", escaped(outcome.figure),
                         escaped(outcome.what), escaped(outcome.detail));
    out += "</div>\n";
  }
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

std::string communicators(const Record& record) {
  const auto rows = heaviest_first(record.communicators, [](const CommunicatorSite& s) { return s.made.sum; });
  std::string out = "<h2>Communicators</h2>\n";
  if (rows.empty()) return out + "<p>0 made.</p>\n";
  CommunicatorSite all = record.communicators.others();
  for (const auto& [key, site] : rows) all.merge(*site);
  const std::vector<std::string> forms = {"Marshal", "host", "VC-VCRT", "AV-Rankmap"};
  const auto memories = [](const CommunicatorSite& s) {
    return std::vector<const Memory*>{&s.marshal, &s.host, &s.vc_vcrt, &s.av_rankmap};
  };

  std::vector<BarGroup> groups;
  for (const auto& [key, site] : rows) {
    if (groups.size() == kMostChartRows) break;
    BarGroup group{where(site->symbol, *key), {}};
    for (const Memory* m : memories(*site)) group.bytes.push_back(m->available() ? m->per_process.mean() : -1);
    groups.push_back(std::move(group));
  }
  std::vector<Curve> curves;
  const std::uint64_t ranks = std::max<std::uint64_t>(1, record.job.ranks),
                      recorded = std::max<std::uint64_t>(1, record.ranks.count());
  for (std::size_t f = 0; f < forms.size(); ++f) {
    const Memory& m = *memories(all)[f];
    const double growing = static_cast<double>(m.growing) / static_cast<double>(recorded);
    curves.push_back({forms[f], static_cast<double>(m.per_process.sum) / static_cast<double>(recorded) - growing,
                      growing / static_cast<double>(ranks)});
  }
  const std::uint64_t to = std::max(record.job.project_ranks, 2 * ranks);
  out += fmt::format("<p>{} made at {} call sites.</p>\n<div class=\"side\">\n", count_text(all.communicators),
                     rows.size());
  out += figure(byte_groups_chart(groups, forms, "Bytes of a process by call site"),
                "Bytes in a process by call site, logarithmic: what Marshal keeps, what the host really allocated, and "
                "what the two published forms would take.");
  out += figure(growth_chart(curves, ranks, to, "Bytes of a process with the number of ranks"),
                "All communicators of a process, extrapolated with the number of ranks: what grows with them is "
                "scaled, the rest is kept.");
  out += "</div>\n";
  const std::string at = " at " + ranks_text(record.job.project_ranks);
  HtmlTable table({{"made by", true, {}},
                   {"at", true, "function, file and line, or module and offset"},
                   {"count", false, "distinct communicators"},
                   {"ranks", false, "least and most in one communicator"},
                   {"model", true, "form of the rank map"},
                   {"freed", false, "memberships freed"},
                   {"Marshal", false, "bytes of rank maps in a process"},
                   {"host", false, "bytes really allocated by the host while creating"},
                   {"VC-VCRT", false, "what virtual connections with a table a communicator would take"},
                   {"AV-Rankmap", false, "what address vectors with rank maps would take"},
                   {"Marshal" + at, false, "extrapolated"},
                   {"host" + at, false, "extrapolated"},
                   {"host time", false, "in the host's calls, mean of a membership"},
                   {"Marshal time", false, "in Marshal around them, mean of a membership"}});
  const auto mean_ns = [](std::uint64_t ns, const Spread& made) { return seconds(made.sum == 0 ? 0 : ns / made.sum); };
  const auto add = [&](const std::string& call, const std::string& place, const CommunicatorSite& s) {
    table.add({HtmlTable::text(call), HtmlTable::text(place), count(s.communicators),
               HtmlTable::number(static_cast<double>(s.ranks.max), range_text(s.ranks.min, s.ranks.max)),
               HtmlTable::text(joined(s.models)), count(s.freed.sum), memory(s.marshal), memory(s.host),
               memory(s.vc_vcrt), memory(s.av_rankmap), projected(s.marshal, record.job), projected(s.host, record.job),
               mean_ns(s.creation_ns, s.made), mean_ns(s.marshal_ns, s.made)});
  };
  for (const auto& [key, site] : rows) add(key->call, where(site->symbol, *key), *site);
  if (record.communicators.overflowed()) add("others", "further call sites", record.communicators.others());
  return out + table.html();
}

std::string metrics_rows(const Grid& grid) {
  HtmlTable table({{"measure", true, {}}, {"order given", false, {}}, {"order in force", false, {}}});
  const auto row = [&](const std::string& name, double before, double after) {
    table.add({HtmlTable::text(name), HtmlTable::number(before, number_text(before)),
               HtmlTable::number(after, number_text(after))});
  };
  row("Jsum: off-node weight in all", grid.before.jsum, grid.after.jsum);
  row("Jmax: off-node weight of the busiest node", grid.before.jmax, grid.after.jmax);
  const auto partners = [&](const std::string& where, const Spread& before, const Spread& after) {
    row("partners " + where + ", least", static_cast<double>(before.min), static_cast<double>(after.min));
    row("partners " + where + ", most", static_cast<double>(before.max), static_cast<double>(after.max));
    row("partners " + where + ", mean", before.mean(), after.mean());
  };
  partners("on the node", grid.before.on_node, grid.after.on_node);
  partners("off the node", grid.before.off_node, grid.after.off_node);
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
  std::size_t drawn = 0;
  for (const auto& [key, grid] : rows) {
    const std::string dims = key->dims.empty() ? "graph" : fmt::format("{}", fmt::join(key->dims, " x "));
    out += fmt::format("<h3>{}, by {}, at {}</h3>\n<p>", dims, escaped(key->mapper),
                       escaped(where(grid->symbol, key->site)));
    out += fmt::format("{} made, {} processes on {} nodes, {} moved; stencil {}, weights {}; ", count_text(grid->made),
                       count_text(grid->processes), count_text(grid->nodes), count_text(grid->moved_ranks),
                       escaped(grid->stencil), escaped(grid->weights));
    out += grid->lower_bound > 0 ? "Jsum cannot be below " + number_text(grid->lower_bound)
                                 : std::string("no lower bound known");
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

double rate(std::uint64_t moved, std::uint64_t ns) {
  return ns == 0 ? 0 : static_cast<double>(moved) * 1e9 / static_cast<double>(ns);
}
Cell bandwidth(std::uint64_t moved, std::uint64_t ns) {
  return ns == 0 ? HtmlTable::unknown("not timed") : HtmlTable::number(rate(moved, ns), rate_text(rate(moved, ns)));
}

std::string datatypes(const Record& record) {
  const auto rows = heaviest_first(
      record.datatypes, [](const DatatypeLayout& d) { return d.pack.bytes + d.unpack.bytes + d.messages.bytes; });
  std::string out = "<h2>Datatypes</h2>\n";
  if (rows.empty()) return out + "<p>0 committed.</p>\n";
  HtmlTable table({{"layout", true, "canonical form"},
                   {"at", true, "where the first of them was committed"},
                   {"picture", true, "which bytes hold data"},
                   {"size", false, "packed bytes of one instance"},
                   {"extent", false, {}},
                   {"blocks", false, "contiguous pieces of one instance"},
                   {"commits", false, {}},
                   {"packs", false, {}},
                   {"unpacks", false, {}},
                   {"bytes", false, "packed and unpacked"},
                   {"pack", false, "bandwidth"},
                   {"unpack", false, "bandwidth"},
                   {"host", false, "what the host did, where it was measured"},
                   {"bound", false, "the most that touching these cache lines allows"},
                   {"plan", true, "engine or kernel"},
                   {"segment", false, "instances"}});
  std::vector<Bar> bars;
  for (const auto& [key, d] : rows) {
    PackWork both = d->pack;
    both.merge(d->unpack);
    const std::string shown = d->blocks > d->picture.size()
                                  ? fmt::format("the first {} of {} blocks", d->picture.size(), d->blocks)
                                  : fmt::format("all {} blocks", d->blocks);
    table.add({HtmlTable::text(key->form),
               HtmlTable::text(where(d->symbol, d->site)),
               {layout_picture(d->picture, shown), 0, true},
               bytes(static_cast<double>(d->size)),
               HtmlTable::number(static_cast<double>(d->extent), fmt::format("{} B", d->extent)),
               count(d->blocks),
               count(d->commits),
               count(d->pack.calls),
               count(d->unpack.calls),
               bytes(static_cast<double>(both.bytes)),
               bandwidth(d->pack.bytes, d->pack.ns),
               bandwidth(d->unpack.bytes, d->unpack.ns),
               bandwidth(both.host_bytes, both.host_ns),
               d->touched_bound_bytes_per_s == 0
                   ? HtmlTable::unknown("not measured")
                   : HtmlTable::number(static_cast<double>(d->touched_bound_bytes_per_s),
                                       rate_text(static_cast<double>(d->touched_bound_bytes_per_s))),
               HtmlTable::text(joined(d->plans)),
               d->segment == 0 ? HtmlTable::number(0, "none") : count(d->segment)});
    if (bars.size() + 3 > 3 * kMostChartRows || both.ns == 0) continue;
    bars.push_back({key->form, rate(both.bytes, both.ns), rate_text(rate(both.bytes, both.ns)), 0});
    if (both.host_ns != 0)
      bars.push_back(
          {"the host", rate(both.host_bytes, both.host_ns), rate_text(rate(both.host_bytes, both.host_ns)), 1});
    if (d->touched_bound_bytes_per_s != 0)
      bars.push_back({"bound", static_cast<double>(d->touched_bound_bytes_per_s),
                      rate_text(static_cast<double>(d->touched_bound_bytes_per_s)), 3});
  }
  if (!bars.empty())
    out += figure(
        bar_chart(bars, "Bandwidth of packing and unpacking"),
        "Packing and unpacking together, by layout; the host where it was measured; the bound is what moving the cache "
        "lines that are touched, and nothing else, would reach.");
  return out + table.html();
}

std::string cost(const Record& record) {
  HtmlTable table(
      {{"Marshal itself", true, {}}, {"least", false, {}}, {"mean", false, {}}, {"most", false, "of a process"}});
  const auto add = [&](const char* name, const Spread& s, auto&& shown) {
    if (s.samples == 0)
      table.add({HtmlTable::text(name), HtmlTable::unknown("not measured"), HtmlTable::unknown("not measured"),
                 HtmlTable::unknown("not measured")});
    else
      table.add({HtmlTable::text(name), shown(static_cast<double>(s.min)), shown(s.mean()),
                 shown(static_cast<double>(s.max))});
  };
  const auto time = [](double ns) { return HtmlTable::number(ns, seconds_text(ns / 1e9)); };
  const auto plain = [](double n) { return HtmlTable::number(n, number_text(n)); };
  add("init", record.own.init_ns, time);
  add("finalize", record.own.finalize_ns, time);
  add("waiting in init for others", record.own.waited_ns, time);
  add("inside calls", record.own.inside_ns, time);
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

std::string counters_and_phases(const Record& record) {
  HtmlTable counters(
      {{"event", true, {}}, {"packing", false, {}}, {"translation", false, {}}, {"processes", false, {}}});
  record.counters.each([&](const std::string& event, const Counter& c) {
    if (c.processes == 0)
      counters.add(
          {HtmlTable::text(event), HtmlTable::unknown(c.unavailable), HtmlTable::unknown(c.unavailable), count(0)});
    else
      counters.add({HtmlTable::text(event), count(c.packing), count(c.translation), count(c.processes)});
  });
  HtmlTable phases(
      {{"phase", true, "level of MPI_Pcontrol"}, {"entered", false, {}}, {"time", false, "slowest process"}});
  record.phases.each([&](const std::string& level, const Phase& p) {
    phases.add({HtmlTable::text(level), count(p.entered), seconds(p.wall_ns.max)});
  });
  return (counters.empty() ? "" : "<h2>Hardware counters</h2>\n" + counters.html()) +
         (phases.empty() ? "" : "<h2>Phases</h2>\n" + phases.html());
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
  if (!job.topology.empty()) out += fmt::format("<p>{}</p>\n", escaped(job.topology));
  return out + "</details>\n";
}

}  // namespace

std::string to_html(const Record& record) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}: report of Marshal</title>\n<style>{}</style></head>\n<body>\n",
      escaped(record.job.program), html_style());
  out += head(record) + communicators(record) + grids(record) + datatypes(record) + cost(record) +
         counters_and_phases(record) + calls(record) + run_details(record);
  return out + fmt::format("<script>{}</script>\n</body></html>\n", html_script());
}

}  // namespace marshal::report
