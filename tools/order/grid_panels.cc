#include "tools/order/grid_panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/printable_text.h"
#include "pages/svg_grid.h"

namespace marshal::tools {
namespace {

constexpr int panel_width = 560, margin = 24, title_height = 24, line_height = 17;

}  // namespace

std::string draw_panels(std::span<const std::uint64_t> dims, std::span<const GridPanel> panels,
                        const std::string& heading) {
  double width = 380, panel_height = 0, y = margin + 10;
  std::string out;
  const auto text = [&](double x, const char* kind, const std::string& words) {
    fmt::format_to(std::back_inserter(out), "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kind, x, y,
                   escaped(words));
  };
  text(margin, "heading", heading);
  const double top = margin + 30;
  std::string shown;
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const report::GridDrawing drawing = report::draw_grid(dims, panels[p].node_of_cell, panel_width);
    shown = drawing.shown;
    width = std::max(width, drawing.width);
    const double left = margin + static_cast<double>(p % 2) * (width + 2 * margin);
    const double text_height = title_height + static_cast<double>(panels[p].lines.size()) * line_height + 2;
    panel_height = text_height + drawing.height + margin;
    const double panel_top = top + static_cast<double>(p / 2) * panel_height;
    y = panel_top + title_height - 8;
    text(left, "title", panels[p].title);
    for (const std::string& line : panels[p].lines) {
      y += line_height;
      text(left, "line", line);
    }
    fmt::format_to(std::back_inserter(out), "<g transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n", left,
                   panel_top + text_height, drawing.elements);
  }
  const int across = panels.size() < 2 ? 1 : 2;
  width = 2 * margin + across * width + (across - 1) * 2 * margin;
  const double height =
      top + static_cast<double>((panels.size() + 1) / 2) * panel_height + (shown.empty() ? 0 : line_height);
  y = height - 10;
  if (!shown.empty()) text(margin, "line", shown);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
             "{1:.0f}\">\n<style>text{{font-family:sans-serif;fill:#222}} .heading{{font-size:18px;font-weight:bold}} "
             ".title{{font-size:15px;font-weight:bold}} .line{{font-size:12px}} {2}</style>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
             width, height, report::grid_style()) +
         out + "</svg>\n";
}

}  // namespace marshal::tools
