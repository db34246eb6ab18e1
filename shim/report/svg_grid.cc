#include "report/svg_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/svg_charts.h"

namespace marshal::report {
namespace {

struct Slices {
  std::uint64_t count = 1, rows = 1, columns = 1;
};

Slices slices_of(const std::vector<std::uint64_t>& dims) {
  Slices s;
  if (dims.empty()) return s;
  s.columns = dims.back();
  if (dims.size() > 1) s.rows = dims[dims.size() - 2];
  for (std::size_t d = 0; d + 2 < dims.size(); ++d) s.count *= dims[d];
  return s;
}

constexpr int kLightness[] = {74, 84, 64};                            // light enough for dark numbers
constexpr double kMostUnit = 28, kNumberedUnit = 18, kRuledUnit = 4;  // pixels of a cell

// Lines between the cells; what lies between slices has the lines' colour anyway.
std::string cell_lines(std::uint64_t width, std::uint64_t height) {
  std::string path;
  for (std::uint64_t x = 1; x < width; ++x) path += fmt::format("M{} 0v{}", x, height);
  for (std::uint64_t y = 1; y < height; ++y) path += fmt::format("M0 {}h{}", y, width);
  return fmt::format("<path class=\"cells\" stroke=\"#fff\" stroke-width=\".05\" fill=\"none\" d=\"{}\"/>\n", path);
}

std::string node_number(std::uint64_t node, std::uint64_t x, std::uint64_t y) {
  return fmt::format(
      "<text x=\"{}.5\" y=\"{}.66\" text-anchor=\"middle\" style=\"font:.45px sans-serif;fill:#222\">{}</text>", x, y,
      node);
}

}  // namespace

std::string node_colour(std::uint64_t node) {
  // The golden angle keeps any few consecutive numbers apart; lightness varies so that greyscale print tells them too.
  const double hue = std::fmod(212 + static_cast<double>(node) * 137.508, 360);
  return fmt::format("hsl({:.0f} 62% {}%)", hue, kLightness[node % 3]);
}

std::string grid_picture(const std::vector<std::uint64_t>& dims,
                         const std::vector<std::pair<std::uint64_t, std::uint64_t>>& node_runs,
                         std::string_view title) {
  const Slices slices = slices_of(dims);
  std::uint64_t cells = 0;
  for (const auto& [node, length] : node_runs) cells += length;
  const bool whole = cells != 0 && cells == slices.count * slices.rows * slices.columns;
  if (!whole || node_runs.size() > kMostDrawnRuns || slices.count > kMostSlices) return {};

  // Slices stand side by side, about as wide in all as high.
  const auto across = static_cast<std::uint64_t>(
      std::ceil(std::sqrt(static_cast<double>(slices.count) * static_cast<double>(slices.rows + 1) /
                          static_cast<double>(slices.columns + 1))));
  const std::uint64_t per_line = std::clamp<std::uint64_t>(across, 1, slices.count);
  const std::uint64_t lines = (slices.count + per_line - 1) / per_line;
  const std::uint64_t width = per_line * (slices.columns + 1) - 1, height = lines * (slices.rows + 1) - 1;
  // Tall and narrow or short and wide grids get square cells of a size that still fits the page.
  const double unit = std::clamp(320.0 / static_cast<double>(std::max(width, height)), 1.0, kMostUnit);
  std::map<std::uint64_t, std::string> paths;  // one element a node keeps the file small
  std::string numbers;
  std::uint64_t cell = 0;
  for (const auto& [node, length] : node_runs) {
    for (std::uint64_t left = length; left > 0;) {
      const std::uint64_t column = cell % slices.columns, row = cell / slices.columns % slices.rows,
                          slice = cell / slices.columns / slices.rows;
      const std::uint64_t piece = std::min(left, slices.columns - column);
      const std::uint64_t x = slice % per_line * (slices.columns + 1) + column,
                          y = slice / per_line * (slices.rows + 1) + row;
      fmt::format_to(std::back_inserter(paths[node]), "M{} {}h{}v1h-{}z", x, y, piece, piece);
      if (unit >= kNumberedUnit)
        for (std::uint64_t i = 0; i < piece; ++i) numbers += node_number(node, x + i, y);
      cell += piece;
      left -= piece;
    }
  }
  std::string out = fmt::format(
      "<svg class=\"grid\" viewBox=\"0 0 {} {}\" style=\"width:{:.0f}px\" role=\"img\" "
      "shape-rendering=\"crispEdges\"><title>{}</title>\n",
      width, height, unit * static_cast<double>(width), escaped(title));
  for (const auto& [node, path] : paths)
    out += fmt::format("<path fill=\"{}\" d=\"{}\"><title>node {}</title></path>\n", node_colour(node), path, node);
  if (unit >= kRuledUnit) out += cell_lines(width, height);
  return out + numbers + "</svg>\n";
}

}  // namespace marshal::report
