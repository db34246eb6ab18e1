#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "report/html_sections.h"
#include "report/html_table.h"
#include "report/svg_charts.h"
#include "report/units.h"

namespace marshal::report {
namespace {

// What keeps communicators, with its name.
using Forms = std::vector<std::pair<std::string, Memory CommunicatorSite::*>>;

// Bytes of a process with the number of ranks: all communicators together.
std::string growth_figure(const Record& record, const Forms& forms, const std::string& caption) {
  const CommunicatorSite all = record.communicators.sum();
  const std::uint64_t ranks = std::max<std::uint64_t>(1, record.job.ranks);
  const auto recorded = static_cast<double>(std::max<std::uint64_t>(1, record.ranks.count()));
  std::vector<Curve> curves;
  for (const auto& [name, form] : forms) {
    const Memory& m = all.*form;
    if (!m.can_be_projected()) continue;
    const double growing = static_cast<double>(m.growing) / recorded;
    curves.push_back(
        {name, static_cast<double>(m.per_process.sum) / recorded - growing, growing / static_cast<double>(ranks)});
  }
  if (curves.empty()) return {};
  const std::uint64_t to = std::max(record.job.project_ranks, 2 * ranks);
  return figure(growth_chart(curves, ranks, to, "Bytes of a process with the number of ranks"), caption);
}

// Bytes of a process by call site.
std::string site_bytes_figure(const Record& record, const Forms& forms, const std::string& caption) {
  std::vector<BarGroup> groups;
  std::vector<std::string> names;
  for (const auto& [name, form] : forms) names.push_back(name);
  for (const auto& [key, site] :
       record.communicators.heaviest_first([](const CommunicatorSite& s) { return s.made.sum; })) {
    if (groups.size() == most_chart_rows) break;
    BarGroup group{where(site->symbol, *key), {}};
    for (const auto& [name, form] : forms) {
      const Memory& m = site->*form;
      group.bytes.push_back(m.available() ? m.per_process.mean() : -1);
    }
    groups.push_back(std::move(group));
  }
  return figure(byte_groups_chart(groups, names, "Bytes of a process by call site"), caption);
}

}  // namespace

std::string communicators_section(const Record& record) {
  const auto rows = record.communicators.heaviest_first([](const CommunicatorSite& s) { return s.made.sum; });
  std::string out = "<h2>Communicators</h2>\n";
  if (rows.empty()) return out + "<p>0 made.</p>\n";
  const CommunicatorSite all = record.communicators.sum();
  out += fmt::format(
      "<p>{} made at {}. Bytes are those at the peak, averaged over the processes that have "
      "such communicators.",
      count_text(all.communicators), counted_rows(rows.size(), record.communicators.overflowed(), "call site"));
  if (all.host_in_passing_bytes.sum != 0)
    out += fmt::format(" The MPI library took up to {} more for itself in these calls, in a process.",
                       bytes_text(all.host_in_passing_bytes.max));
  out += "</p>\n<div class=\"side\">\n";
  const Forms forms{{"Marshal", &CommunicatorSite::marshal}, {"MPI library", &CommunicatorSite::host}};
  out += site_bytes_figure(record, forms,
                           "Bytes in a process by call site, logarithmic: what Marshal keeps, and what the MPI library "
                           "allocated, measured.");
  out +=
      growth_figure(record, forms,
                    "All communicators of a process, extrapolated with the number of ranks: bytes that grow with them "
                    "are scaled, the rest is kept.");
  out += "</div>\n";
  const std::string at = " at " + ranks_text(record.job.project_ranks);
  HtmlTable table({{"made by", true},
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
    table.add({HtmlTable::text(call), HtmlTable::text(place),
               s.not_known == 0 ? count(s.communicators) : HtmlTable::text("not known"),
               HtmlTable::number(static_cast<double>(s.ranks.max), range_text(s.ranks.min, s.ranks.max)),
               count(s.freed.sum), memory(s.marshal), memory(s.host), projected(s.marshal, record.job),
               projected(s.host, record.job), mean_ns(s.creation_ns, s.made), mean_ns(s.marshal_ns, s.made)});
  };
  for (const auto& [key, site] : rows) add(key->call, where(site->symbol, *key), *site);
  if (record.communicators.overflowed()) add("others", "further call sites", record.communicators.others());
  return out + table.html();
}

// Forms of rank maps, and what the two published ways to keep communicators would take.
std::string papers_section(const Record& record) {
  const auto rows = record.communicators.heaviest_first([](const CommunicatorSite& s) { return s.made.sum; });
  if (rows.empty()) return {};
  std::string out =
      "<h2>For readers of the papers</h2>\n<p>The models of the rank maps, and what the two published ways to keep "
      "communicators would take: VC-VCRT and AV-Rankmap, computed.</p>\n<div class=\"side\">\n";
  const Forms forms{{"Marshal", &CommunicatorSite::marshal},
                    {"MPI library", &CommunicatorSite::host},
                    {"VC-VCRT", &CommunicatorSite::vc_vcrt},
                    {"AV-Rankmap", &CommunicatorSite::av_rankmap}};
  out += site_bytes_figure(record, forms, "Bytes in a process by call site, logarithmic.");
  out += growth_figure(record, forms, "All communicators of a process, extrapolated with the number of ranks.");
  out += "</div>\n";
  const std::string at = " at " + ranks_text(record.job.project_ranks);
  HtmlTable table({{"made by", true},
                   {"at", true},
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

}  // namespace marshal::report
