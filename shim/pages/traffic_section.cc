// The section on messages between processes, and on collectives.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/printable_text.h"
#include "pages/pictures.h"
#include "pages/sections.h"
#include "record/units.h"

namespace marshal::report {
namespace {

// What was sent, if it was counted: one line.
std::string traffic_line(const Record& record) {
  const Traffic& sent = record.traffic;
  std::string out = fmt::format("{} messages sent, {}", count_text(sent.messages), bytes_text(sent.bytes));
  if (record.job.nodes > 1 && sent.bytes != 0) {
    const PlacedBytes most = busiest(sent.leaving);
    const auto order = [&](std::uint64_t between, std::uint64_t busiest_node) {
      return fmt::format("{} between nodes ({}), {} from the busiest", bytes_text(between),
                         percent_text(static_cast<double>(between) / static_cast<double>(sent.bytes)),
                         bytes_text(busiest_node));
    };
    out += "; " + order(sent.between_nodes.in_force, most.in_force);
    if (sent.between_nodes.in_force != sent.between_nodes.given || most.in_force != most.given)
      out += "; in the order given " + order(sent.between_nodes.given, most.given);
  }
  if (sent.foreign_messages != 0)
    out +=
        fmt::format("; to other jobs {} more, {}", count_text(sent.foreign_messages), bytes_text(sent.foreign_bytes));
  if (sent.unknown_messages != 0)
    out += fmt::format("; {} more, {}, to processes that are not known", count_text(sent.unknown_messages),
                       bytes_text(sent.unknown_bytes));
  if (sent.unsized != 0)
    out += fmt::format("; the bytes of {} of these messages and of the collectives are not known",
                       count_text(sent.unsized));
  if (sent.lost_messages != 0) out += fmt::format("; {} more not counted, for want of memory", sent.lost_messages);
  return out;
}

std::string orders_table(const Traffic& traffic) {
  Table table({{"measure", Align::left},
               number_column("order given", "what the same messages would be if no process had been moved", 1),
               number_column("order in force", "measured", 1)});
  const PlacedBytes between = traffic.between_nodes, most = busiest(traffic.leaving);
  const auto row = [&](const char* name, std::uint64_t given, std::uint64_t in_force) {
    table.add({name, bytes_cell(given), bytes_cell(in_force)});
  };
  row("bytes between nodes", between.given, between.in_force);
  row("of these, from the busiest node", most.given, most.in_force);
  row("bytes that stayed on their node", traffic.bytes - std::min(traffic.bytes, between.given),
      traffic.bytes - std::min(traffic.bytes, between.in_force));
  return table.html();
}

std::string collectives_table(const Traffic& traffic) {
  constexpr std::size_t most = 40;
  const std::vector<CollectiveRow> rows = collective_rows(traffic);
  if (rows.empty()) return {};
  Table table({{"collective", Align::left, 60, "persistent ones (_init) count when they are started"},
               number_column("processes", "of the communicator"),
               number_column("calls", "by all processes"),
               number_column("bytes", "the sum of all processes' parts", 1),
               number_column("a part, from", "rounded up to a power of two"),
               number_column("to", "rounded up to a power of two")});
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const CollectiveRow& row = rows[i];
    const auto of_kind = [&](Cell cell) {
      return row.processes != 0 ? std::move(cell) : Cell("various", "too many kinds to keep them apart");
    };
    table.add({row.call, of_kind(count_cell(row.processes)), count_cell(row.all.calls), bytes_cell(row.all.bytes),
               of_kind(bytes_cell(row.least_bytes)), of_kind(bytes_cell(row.most_bytes))});
  }
  const std::string more =
      rows.size() > most ? fmt::format("<figcaption>And {} more.</figcaption>", rows.size() - most) : "";
  return "<figure>" + table.html() + more + "</figure>\n";
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

std::string traffic_text(const Record& record) {
  if (record.traffic.processes == 0) return "Traffic: not counted\n";
  const std::string collectives = collectives_text(record.traffic);
  return "Traffic: " + traffic_line(record) + "\n" +
         (collectives.empty() ? "" : fmt::format("  collectives, not among them: {}\n", printable(collectives)));
}

std::string traffic_page(const Record& record) {
  const Traffic& traffic = record.traffic;
  std::string out = "<h2>Traffic</h2>\n";
  if (traffic.processes == 0) return out + "<p>Not counted: MARSHAL_TRAFFIC=off.</p>\n";
  out += fmt::format("<p>{}. Collectives are not among them, as how they are sent is the MPI library's affair.{}</p>\n",
                     traffic_line(record),
                     traffic.file.empty() ? "" : fmt::format(" By pairs of processes: {}.", escaped(traffic.file)));
  out += collectives_table(traffic);
  if (record.job.nodes <= 1 || traffic.bytes == 0) return out;
  return out + heat(record) + "<figure>" + orders_table(traffic) + "</figure>\n";
}

}  // namespace marshal::report
