#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/printable_text.h"
#include "pages/pictures.h"
#include "record/units.h"

namespace marshal::report {
namespace {

// `anchor` is SVG's: start, middle or end.
std::string text_element(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(text));
}

constexpr double side = 400, margin = 24, left = 48, line_height = 17, title_height = 22;
// One hue, light to dark, in equal steps of lightness.
constexpr std::array<const char*, 9> scale{"#eef4fb", "#d9e6f4", "#bed4ec", "#9dbfe2", "#78a6d5",
                                           "#538bc4", "#336fae", "#1d5290", "#0e366b"};
constexpr const char* within_a_node = "#e4e4e4";

// Sums of the pairs in squares of `block` nodes.
class Squares {
 public:
  Squares(std::uint32_t nodes, std::span<const NodeBytes> pairs)
      : block_((nodes + most_drawn_nodes - 1) / most_drawn_nodes),
        across_((nodes + block_ - 1) / block_),
        bytes_(static_cast<std::size_t>(across_) * across_) {
    for (const NodeBytes& pair : pairs)
      if (pair.from != pair.to && pair.from < nodes && pair.to < nodes)
        bytes_[static_cast<std::size_t>(pair.from / block_) * across_ + pair.to / block_] += pair.bytes;
  }
  std::uint32_t across() const { return across_; }
  std::uint32_t block() const { return block_; }
  double at(std::uint32_t row, std::uint32_t column) const {
    return bytes_[static_cast<std::size_t>(row) * across_ + column];
  }
  const std::vector<double>& all() const { return bytes_; }

 private:
  std::uint32_t block_, across_;
  std::vector<double> bytes_;
};

// The last step of the scale is the most; each is `factor` times the one before. They span what there is, so that half
// the bytes look like less.
class Steps {
 public:
  void take(const Squares& squares) {
    for (const double bytes : squares.all()) {
      most_ = std::max(most_, bytes);
      if (bytes > 0 && (least_ == 0 || bytes < least_)) least_ = bytes;
    }
    constexpr double finest = 1.25, coarsest = 3.2;
    if (most_ > 0) factor_ = std::clamp(std::pow(most_ / least_, 1.0 / last), finest, coarsest);
  }
  // -1: nothing.
  int of(double bytes) const {
    if (bytes <= 0) return -1;
    return std::clamp(last + static_cast<int>(std::ceil(std::log(bytes / most_) / std::log(factor_) - 1e-9)), 0, last);
  }
  double most() const { return most_; }
  double least() const { return most_ * std::pow(factor_, -last); }
  double factor() const { return factor_; }

 private:
  static constexpr int last = static_cast<int>(scale.size()) - 1;
  double most_ = 0, least_ = 0, factor_ = 2;
};

// Squares of one colour are one path, runs of them in a row one rectangle of it.
std::string drawn(const Squares& squares, const Steps& steps) {
  std::array<std::string, scale.size()> paths;
  for (std::uint32_t row = 0; row < squares.across(); ++row)
    for (std::uint32_t column = 0; column < squares.across();) {
      const int step = steps.of(squares.at(row, column));
      std::uint32_t end = column + 1;
      while (end < squares.across() && steps.of(squares.at(row, end)) == step) ++end;
      if (step >= 0)
        paths[static_cast<std::size_t>(step)] +=
            fmt::format("M{} {}h{}v1h-{}z", column, row, end - column, end - column);
      column = end;
    }
  std::string svg;
  if (squares.block() == 1) {
    svg += fmt::format("<path fill=\"{}\" d=\"", within_a_node);
    for (std::uint32_t node = 0; node < squares.across(); ++node) svg += fmt::format("M{} {}h1v1h-1z", node, node);
    svg += "\"/>\n";
  }
  for (std::size_t step = 0; step < scale.size(); ++step)
    if (!paths[step].empty()) svg += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", scale[step], paths[step]);
  return svg;
}

std::string panel_at(double x, double y, const HeatPanel& panel, std::size_t lines, std::uint32_t nodes,
                     const Steps& steps) {
  const Squares squares(nodes, panel.pairs);
  std::string svg = fmt::format("<g font-weight=\"bold\">{}</g>", text_element(x, y + 14, "start", panel.title));
  for (std::size_t i = 0; i < panel.lines.size(); ++i)
    svg += text_element(x, y + title_height + 14 + line_height * static_cast<double>(i), "start", panel.lines[i]);
  const double top = y + title_height + line_height * static_cast<double>(lines) + 24;
  svg += text_element(x + side / 2, top - 6, "middle",
                      squares.block() == 1 ? "to node" : fmt::format("to node, {} nodes a square", squares.block()));
  svg +=
      text_element(x - 4, top + 10, "end", "0") + text_element(x - 4, top + side, "end", fmt::format("{}", nodes - 1)) +
      fmt::format("<text transform=\"translate({:.0f} {:.0f}) rotate(-90)\" text-anchor=\"middle\">from node</text>\n",
                  x - 14, top + side / 2);
  const double unit = side / squares.across();
  svg += fmt::format("<g transform=\"translate({:.1f} {:.1f}) scale({:.6f})\" shape-rendering=\"crispEdges\">\n", x,
                     top, unit);
  svg += drawn(squares, steps) + "</g>\n";
  svg += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#888\"/>\n", x, top,
      side, side);
  return svg;
}

std::string legend_at(double x, double y, const Steps& steps, bool has_nodes_apart) {
  std::string svg;
  constexpr double box = 18;
  for (std::size_t step = 0; step < scale.size(); ++step)
    svg += fmt::format("<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{}\" height=\"12\" fill=\"{}\"/>\n",
                       x + box * static_cast<double>(step), y, box, scale[step]);
  const double end = x + box * static_cast<double>(scale.size());
  svg += text_element(end + 6, y + 10, "start",
                      fmt::format("{} or less to {}", bytes_text(steps.least()), bytes_text(steps.most())));
  svg += text_element(x, y + 28, "start",
                      fmt::format("each step is {:.3g} times the one before; white: nothing", steps.factor()));
  if (has_nodes_apart)
    svg += fmt::format("<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{}\" height=\"12\" fill=\"{}\"/>\n", x, y + 36, box,
                       within_a_node) +
           text_element(x + box + 6, y + 46, "start", "within a node: not drawn");
  return svg;
}

}  // namespace

std::string heat_maps(std::uint32_t nodes, std::span<const HeatPanel> panels, std::string_view heading, Stands stands) {
  Steps steps;
  std::size_t lines = 0;
  for (const HeatPanel& panel : panels) {
    if (nodes > 0) steps.take(Squares(nodes, panel.pairs));
    lines = std::max(lines, panel.lines.size());
  }
  const double count = static_cast<double>(std::max<std::size_t>(1, panels.size()));
  const double width = left + count * side + (count - 1) * (margin + left) + margin;
  const double top = margin + 24, below = top + title_height + line_height * static_cast<double>(lines) + 24 + side;
  const double height = below + 78;
  const std::string size =
      stands == Stands::in_page
          ? fmt::format("class=\"plate\" role=\"img\" style=\"width:100%;max-width:{:.0f}px\"", width)
          : fmt::format("xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\"", width, height);
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" {} font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n<rect "
      "width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<g font-size=\"15\">{}</g>",
      width, height, size, text_element(margin, margin + 4, "start", heading));
  double x = left;
  for (const HeatPanel& panel : panels) {
    if (nodes > 0) svg += panel_at(x, top, panel, lines, nodes, steps);
    x += side + margin + left;
  }
  if (steps.most() > 0) svg += legend_at(left, below + 14, steps, nodes <= most_drawn_nodes);
  return svg + "</svg>\n";
}

}  // namespace marshal::report
