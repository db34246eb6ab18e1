#include <fmt/ranges.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/printable_text.h"
#include "report/html_sections.h"
#include "report/html_table.h"
#include "report/svg_grid.h"
#include "report/units.h"

namespace marshal::report {
namespace {

constexpr std::size_t picture_budget = 1200000;  // bytes of grid pictures in one page
constexpr std::uint64_t most_drawn_cells = std::uint64_t{1} << 22;
constexpr double picture_side = 320;  // pixels

// Empty if not all cells are known, or if they are too many.
std::string grid_picture(const GridKey& key, const GridMetrics& order, std::string_view title) {
  std::uint64_t cells = 1;
  for (const std::uint64_t length : key.dims)
    if (length > most_drawn_cells || (cells *= length) > most_drawn_cells) return {};
  std::vector<std::uint32_t> nodes;
  for (const auto& [node, length] : order.node_runs) {
    if (length > cells - nodes.size()) return {};
    nodes.insert(nodes.end(), length, static_cast<std::uint32_t>(node));
  }
  if (nodes.empty() || nodes.size() != cells) return {};
  const GridDrawing drawing = draw_grid(key.dims, nodes, picture_side);
  return fmt::format(
      "<svg class=\"grid\" viewBox=\"0 0 {0:.0f} {1:.0f}\" style=\"width:{0:.0f}px\" role=\"img\"><title>{2}</title>\n"
      "{3}</svg>{4}\n",
      drawing.width, drawing.height, title, drawing.elements, drawing.shown);
}

std::string metrics_rows(const Grid& grid) {
  HtmlTable table({{"measure", true}, {"order given"}, {"order in force"}});
  const auto row = [&](const std::string& name, double before, double after) {
    table.add({HtmlTable::text(name), HtmlTable::number(before, number_text(before)),
               HtmlTable::number(after, number_text(after))});
  };
  row("traffic between nodes (Jsum)", grid.before.jsum, grid.after.jsum);
  row("traffic of the busiest node (Jmax)", grid.before.jmax, grid.after.jmax);
  for (const auto& [level, weights] : grid.above) row("traffic between " + level, weights.before, weights.after);
  const auto partners = [&](const std::string& where, const Spread& before, const Spread& after) {
    row("partners " + where + ", least", static_cast<double>(before.min), static_cast<double>(after.min));
    row("partners " + where + ", most", static_cast<double>(before.max), static_cast<double>(after.max));
    row("partners " + where + ", mean", before.mean(), after.mean());
  };
  partners("on the same node", grid.before.on_node, grid.after.on_node);
  partners("on other nodes", grid.before.off_node, grid.after.off_node);
  if (grid.traffic.processes != 0) {
    const PlacedBytes most = busiest(grid.traffic.leaving);
    const auto measured = [&](const std::string& name, std::uint64_t given, std::uint64_t in_force) {
      table.add({HtmlTable::text(name), bytes(given), bytes(in_force)});
    };
    measured("bytes between nodes, measured", grid.traffic.between_nodes.given, grid.traffic.between_nodes.in_force);
    for (const auto& [level, sent] : grid.traffic.above)
      measured("of these, between " + level, sent.given, sent.in_force);
    measured("of these, from the busiest node", most.given, most.in_force);
  }
  if (grid.before.predicted_exchange_s > 0) {
    table.add({HtmlTable::text(fmt::format("halo exchange, predicted for {} weights", grid.weights)),
               HtmlTable::number(grid.before.predicted_exchange_s, seconds_text(grid.before.predicted_exchange_s)),
               HtmlTable::number(grid.after.predicted_exchange_s, seconds_text(grid.after.predicted_exchange_s))});
    table.add({HtmlTable::text("the prediction is limited by the"), HtmlTable::text(grid.before.limited_by),
               HtmlTable::text(grid.after.limited_by)});
  }
  return table.html();
}

}  // namespace

std::string grids_section(const Record& record) {
  const auto rows = record.grids.heaviest_first([](const Grid& g) { return g.processes * g.made; });
  std::string out = "<h2>Grids</h2>\n";
  if (rows.empty()) return out + "<p>0 made.</p>\n";
  out +=
      "<p>Traffic between nodes (Jsum) counts pairs of neighbouring processes on different nodes, each with its "
      "weight. It is counted from the grid, not measured in bytes.</p>\n";
  std::size_t drawn = 0;
  for (const auto& [key, grid] : rows) {
    const std::string dims = key->dims.empty() ? "graph" : fmt::format("{}", fmt::join(key->dims, " x "));
    out += fmt::format("<h3>{}, by {}, at {}</h3>\n<p>", dims, escaped(key->mapper),
                       escaped(where(grid->symbol, key->site)));
    out += fmt::format(
        "{} made, {} processes on {} nodes, {} moved; stencil {}, weights {}; ", count_text(grid->made),
        count_text(grid->processes), count_text(grid->nodes), count_text(grid->moved_ranks), escaped(grid->stencil),
        escaped(grid->learned_from.empty() ? grid->weights : grid->weights + " from " + grid->learned_from));
    out += grid->lower_bound > 0 ? "no order has a Jsum below " + number_text(grid->lower_bound)
                                 : std::string("the least possible Jsum is not known");
    out += grid->mapping_ns.samples == 0 ? ".</p>\n"
                                         : fmt::format("; mapped in {}.</p>\n", time_text(grid->mapping_ns.mean()));
    if (!grid->jsum_by_mapper.empty()) {
      out += "<p>Jsum that each mapper reached:";
      for (const auto& [mapper, jsum] : grid->jsum_by_mapper)
        out += fmt::format(" {} {};", escaped(mapper), number_text(jsum));
      out.back() = '.';
      out += "</p>\n";
    }
    if (!grid->reason.empty()) out += fmt::format("<p>{}</p>\n", escaped(grid->reason));
    const std::string before = grid_picture(*key, grid->before, "order given"),
                      after = grid_picture(*key, grid->after, "order in force");
    out += "<div class=\"side grids\">\n";
    if (before.empty() || after.empty()) {
      out += "<p class=\"soft\">Too large to draw.</p>\n";
    } else if (drawn + before.size() + after.size() > picture_budget) {
      out += "<p class=\"soft\">Not drawn, to keep this page small.</p>\n";
    } else {
      drawn += before.size() + after.size();
      out += figure(before, "Order given: a colour for each node") + figure(after, "Order in force");
    }
    out += "<figure>" + metrics_rows(*grid) + "</figure></div>\n";
  }
  return out + (record.grids.overflowed() ? "<p class=\"soft\">Further grids are not listed.</p>\n" : "");
}

}  // namespace marshal::report
