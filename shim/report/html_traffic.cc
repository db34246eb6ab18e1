#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/printable_text.h"
#include "report/heat_map.h"
#include "report/html_sections.h"
#include "report/html_table.h"
#include "report/units.h"

namespace marshal::report {
namespace {

std::string order_rows(const Traffic& traffic) {
  HtmlTable table({{"measure", true},
                   {"order given", false, "what the same messages would be if no process had been moved"},
                   {"order in force", false, "measured"}});
  const auto row = [&](const std::string& name, std::uint64_t given, std::uint64_t in_force) {
    table.add({HtmlTable::text(name), bytes(given), bytes(in_force)});
  };
  const PlacedBytes most = busiest(traffic.leaving);
  row("bytes between nodes", traffic.between_nodes.given, traffic.between_nodes.in_force);
  row("of these, from the busiest node", most.given, most.in_force);
  row("bytes that stayed on their node", traffic.bytes - std::min(traffic.bytes, traffic.between_nodes.given),
      traffic.bytes - std::min(traffic.bytes, traffic.between_nodes.in_force));
  return table.html();
}

std::string collectives_table(const Traffic& traffic) {
  constexpr std::size_t most = 40;
  const std::vector<CollectiveRow> rows = collective_rows(traffic);
  if (rows.empty()) return {};
  HtmlTable table({{"collective", true, "persistent ones (_init) count when they are started"},
                   {"processes", false, "of the communicator"},
                   {"calls", false, "by all processes"},
                   {"bytes", false, "the sum of all processes' parts"},
                   {"a part, from", false, "rounded up to a power of two"},
                   {"to", false, "rounded up to a power of two"}});
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const CollectiveRow& row = rows[i];
    const bool is_kind = row.processes != 0;
    const Cell various = HtmlTable::unknown("various", "too many kinds to keep them apart");
    const auto part = [&](std::uint64_t size) { return is_kind ? bytes(size) : various; };
    table.add({HtmlTable::text(row.call), is_kind ? count(row.processes) : various, count(row.all.calls),
               bytes(row.all.bytes), part(row.least_bytes), part(row.most_bytes)});
  }
  std::string out = "<figure>" + table.html();
  if (rows.size() > most) out += fmt::format("<figcaption>And {} more.</figcaption>", rows.size() - most);
  return out + "</figure>\n";
}

std::string heat(const Record& record) {
  const Traffic& traffic = record.traffic;
  std::vector<NodeBytes> given, in_force;
  std::uint64_t rows = 0;
  for (const auto& [pair, placed] : traffic.heat) {
    rows = std::max({rows, pair.first + 1, pair.second + 1});
    if (pair.first >= most_heat_rows || pair.second >= most_heat_rows) return {};
    const auto from = static_cast<std::uint32_t>(pair.first), to = static_cast<std::uint32_t>(pair.second);
    given.push_back({from, to, static_cast<double>(placed.given)});
    in_force.push_back({from, to, static_cast<double>(placed.in_force)});
  }
  if (rows < 2) return {};
  std::vector<HeatPanel> panels;
  const std::string unit = traffic.nodes_a_row > 1 ? fmt::format(" (a row is {} nodes)", traffic.nodes_a_row) : "";
  const bool moved = given != in_force;
  if (moved)
    panels.push_back({"order given" + unit, {bytes_text(traffic.between_nodes.given) + " between nodes"}, given});
  panels.push_back({(moved ? "order in force" : "bytes from node to node") + unit,
                    {bytes_text(traffic.between_nodes.in_force) + " between nodes"},
                    in_force});
  const std::string picture =
      heat_maps(static_cast<std::uint32_t>(rows), panels, "Bytes from node to node", Stands::in_page);
  return figure(picture,
                "Bytes of messages from node (row) to node (column), logarithmic. Traffic within a node is not drawn.");
}

}  // namespace

std::string traffic_section(const Record& record) {
  const Traffic& traffic = record.traffic;
  std::string out = "<h2>Traffic</h2>\n";
  if (traffic.processes == 0) return out + "<p>Not counted: MARSHAL_TRAFFIC=off.</p>\n";
  out +=
      fmt::format("<p>{} sent, {}. Collectives are not among them, as how they are sent is the MPI library's affair.",
                  count_text(traffic.messages), bytes_text(traffic.bytes));
  if (traffic.foreign_messages != 0)
    out += fmt::format(" {} more went to other jobs, {}.", count_text(traffic.foreign_messages),
                       bytes_text(traffic.foreign_bytes));
  if (traffic.unknown_messages != 0)
    out += fmt::format(" {} more, {}, went to processes that are not known.", count_text(traffic.unknown_messages),
                       bytes_text(traffic.unknown_bytes));
  if (traffic.unsized != 0)
    out += fmt::format(" The bytes of {} of these messages and of the collectives are not known.",
                       count_text(traffic.unsized));
  if (traffic.lost_messages != 0)
    out += fmt::format(" {} more were not counted, for want of memory.", count_text(traffic.lost_messages));
  if (!traffic.file.empty()) out += fmt::format(" By pairs of processes: {}.", escaped(traffic.file));
  out += "</p>\n" + collectives_table(traffic);
  if (record.job.nodes <= 1 || traffic.bytes == 0) return out;
  return out + heat(record) + "<figure>" + order_rows(traffic) + "</figure>\n";
}

}  // namespace marshal::report
