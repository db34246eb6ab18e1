// The section on grids: how Marshal mapped them, and what that gained.
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/printable_text.h"
#include "pages/pictures.h"
#include "pages/sections.h"
#include "record/units.h"

namespace marshal::report {
namespace {

std::string arrow(const std::string& before, const std::string& after) {
  return before == after ? before : before + " -> " + after;
}

std::string partners(const Spread& spread) {
  return fmt::format("{}/{}/{}", spread.min, spread.max, number_text(spread.mean()));
}

// Least first.
std::string contenders(const Grid& grid) {
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [mapper, jsum] : grid.jsum_by_mapper) sorted.emplace_back(jsum, mapper);
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const auto& [jsum, mapper] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", mapper, number_text(jsum));
  return text;
}

std::string about_grid(const std::string& dims, const GridKey& key, const Grid& grid) {
  std::string out = "  " + dims;
  if (std::find(key.periodic.begin(), key.periodic.end(), 1u) != key.periodic.end())
    out += fmt::format(" periodic {}", fmt::join(key.periodic, ","));
  if (grid.before.on_node.samples > 0)
    out += fmt::format(": partners min/max/avg on-node {}, off-node {}",
                       arrow(partners(grid.before.on_node), partners(grid.after.on_node)),
                       arrow(partners(grid.before.off_node), partners(grid.after.off_node)));
  if (grid.mapping_ns.samples > 0) out += fmt::format(", mapped in {}", time_text(grid.mapping_ns.mean()));
  // A reader who sees Jmax fall expects the time to fall as much.
  if (grid.after.jmax < grid.before.jmax && grid.after.limited_by == "processes")
    out += "; the predicted exchange is limited by the processes' own rate now, not by the network";
  out += '\n';
  if (!grid.jsum_by_mapper.empty()) out += fmt::format("    Jsum by mapper: {}\n", printable(contenders(grid)));
  if (grid.weights == "learned")
    out += fmt::format("    weights: in proportion to the bytes of an earlier run, {}: {}\n",
                       printable(grid.learned_from), printable(grid.stencil));
  else if (grid.weights == "unknown")
    out += "    weights: not known; the figures assume equal ones\n";
  if (!grid.reason.empty()) out += fmt::format("    {}\n", printable(grid.reason));
  return out;
}

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

std::string metrics_table(const Grid& grid) {
  Table table({{"measure", Align::left}, {"order given"}, {"order in force"}});
  const auto row = [&](const std::string& name, double before, double after) {
    table.add({name, Cell(before, number_text(before)), Cell(after, number_text(after))});
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
      table.add({name, bytes_cell(given), bytes_cell(in_force)});
    };
    measured("bytes between nodes, measured", grid.traffic.between_nodes.given, grid.traffic.between_nodes.in_force);
    for (const auto& [level, sent] : grid.traffic.above)
      measured("of these, between " + level, sent.given, sent.in_force);
    measured("of these, from the busiest node", most.given, most.in_force);
  }
  if (grid.before.predicted_exchange_s > 0) {
    const double before = grid.before.predicted_exchange_s, after = grid.after.predicted_exchange_s;
    table.add({fmt::format("halo exchange, predicted for {} weights", grid.weights), Cell(before, seconds_text(before)),
               Cell(after, seconds_text(after))});
    table.add({"the prediction is limited by the", grid.before.limited_by, grid.after.limited_by});
  }
  return table.html();
}

}  // namespace

std::string grids_text(const Record& record, std::size_t most_rows) {
  const auto rows = record.grids.heaviest_first([](const Grid& g) { return g.processes * g.made; });
  if (rows.empty()) return "Grids: 0 made\n";
  std::string out =
      "Grids: traffic between nodes in all (Jsum) and of the busiest node (Jmax): pairs of neighbours on different "
      "nodes, weighted; order given -> in force\n";
  Table table({{"at", Align::left, 60},
               {"dims", Align::left, 16},
               {"count"},
               {"mapper", Align::left, 10},
               {"moved"},
               {"Jsum"},
               {"least possible"},
               {"Jmax"},
               {"off-node avg"},
               {"weights", Align::left, 12},
               {"predicted gain"},
               {"measured between nodes"}});
  std::string details;
  for (const auto& [key, grid] : rows) {
    const double before = grid->before.predicted_exchange_s, after = grid->after.predicted_exchange_s;
    const std::string dims = dims_text(*key);
    table.add(
        {place_cell(grid->symbol, key->site), dims, count_text(grid->made), key->mapper, count_text(grid->moved_ranks),
         grid->nodes == 0 ? "not known" : arrow(number_text(grid->before.jsum), number_text(grid->after.jsum)),
         grid->lower_bound > 0 ? number_text(grid->lower_bound) : "not known",
         grid->nodes == 0 ? "not known" : arrow(number_text(grid->before.jmax), number_text(grid->after.jmax)),
         grid->nodes == 0 ? "not known"
                          : arrow(number_text(grid->before.off_node.mean()), number_text(grid->after.off_node.mean())),
         grid->weights, before > 0 ? percent_text((before - after) / before) : "none made",
         grid->traffic.processes == 0
             ? "not counted"
             : arrow(bytes_text(grid->traffic.between_nodes.given), bytes_text(grid->traffic.between_nodes.in_force))});
    if (most_rows == 0) details += about_grid(dims, *key, *grid);
  }
  return out + table.text(most_rows) + more_line(most_rows, rows.size(), record.grids.overflowed(), "grids") + details;
}

std::string grids_page(const Record& record) {
  const auto rows = record.grids.heaviest_first([](const Grid& g) { return g.processes * g.made; });
  std::string out = "<h2>Grids</h2>\n";
  if (rows.empty()) return out + "<p>0 made.</p>\n";
  out +=
      "<p>Traffic between nodes (Jsum) counts pairs of neighbouring processes on different nodes, each with its "
      "weight. It is counted from the grid, not measured in bytes.</p>\n";
  std::size_t drawn = 0;
  for (const auto& [key, grid] : rows) {
    const std::string dims = dims_text(*key, " x ");
    const std::string place = name_or_place(grid->symbol, key->site);
    out += fmt::format("<h3>{}, by {}, at {}</h3>\n<p>", dims, escaped(key->mapper),
                       place.empty() ? "not recorded" : escaped(place));
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
    out += "<figure>" + metrics_table(*grid) + "</figure></div>\n";
  }
  return out + (record.grids.overflowed() ? "<p class=\"soft\">Further grids are not listed.</p>\n" : "");
}

}  // namespace marshal::report
