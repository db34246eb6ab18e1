#include "mapping/grid_picture.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace marshal::mapping {
namespace {

// Light enough for black numbers and lines on them; neighbours in the list differ most.
constexpr std::array<const char*, 12> palette{"#8ecae6", "#ffd166", "#a7d49b", "#f4a6a0", "#c8b6e2", "#f7c59f",
                                              "#9ad4d6", "#e6e08a", "#f2b5d4", "#b5c99a", "#bcd4f6", "#d9c3a5"};

constexpr int panel_width = 560, margin = 24, gap = 14, largest_cell = 26, most_side = 240, most_slices = 24;
constexpr int title_height = 24, line_height = 17, caption_height = 16;
constexpr double digit_width = 6.4, digit_height = 8;  // of the numbers on nodes, in pixels

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else
      safe += c;
  }
  return safe;
}

// How the grid lies on the paper: slices of `rows` x `columns` cells, of which some are shown.
struct Sheet {
  int rows = 1, columns = 1;
  std::int64_t slices = 1;
  int shown_rows, shown_columns, shown_slices;
  int per_line;  // slices beside each other
  double cell;   // side in pixels

  explicit Sheet(const Grid& grid) {
    const int n = grid.ndims();
    if (n >= 1) columns = grid.length(n - 1);
    if (n >= 2) rows = grid.length(n - 2);
    for (int d = 0; d + 2 < n; ++d) slices *= grid.length(d);
    shown_rows = std::min(rows, most_side);
    shown_columns = std::min(columns, most_side);
    shown_slices = static_cast<int>(std::min<std::int64_t>(slices, most_slices));
    // The largest cells with which all slices fit into a square of the panel's width.
    per_line = 1;
    cell = 0;
    for (int across = 1; across <= shown_slices; ++across) {
      const int down = (shown_slices + across - 1) / across;
      const double wide = (panel_width - (across - 1.0) * gap) / (across * shown_columns);
      const double high = (panel_width - (down - 1.0) * (gap + caption_height)) / (down * shown_rows);
      const double side = std::min({wide, high, static_cast<double>(largest_cell)});
      if (side > cell) {
        cell = side;
        per_line = across;
      }
    }
    cell = std::max(cell, 1.5);
  }

  bool whole() const { return shown_rows == rows && shown_columns == columns && shown_slices == slices; }
  double slice_width() const { return shown_columns * cell; }
  double slice_height() const { return shown_rows * cell + (slices > 1 ? caption_height : 0); }
  double width() const { return per_line * slice_width() + (per_line - 1) * gap; }
  double height() const {
    const int down = (shown_slices + per_line - 1) / per_line;
    return down * slice_height() + (down - 1) * gap;
  }
  std::size_t index(int slice, int row, int column) const {
    return static_cast<std::size_t>((static_cast<std::int64_t>(slice) * rows + row) * columns + column);
  }
};

// Nodes that touch in the picture, or in neighbouring slices, get different colours where twelve suffice.
std::map<std::int32_t, std::size_t> colours_of(const Sheet& sheet, std::span<const std::int32_t> node) {
  std::map<std::int32_t, std::set<std::int32_t>> touching;
  for (int s = 0; s < sheet.shown_slices; ++s)
    for (int r = 0; r < sheet.shown_rows; ++r)
      for (int c = 0; c < sheet.shown_columns; ++c) {
        const std::int32_t here = node[sheet.index(s, r, c)];
        touching[here];
        const auto touch = [&](std::int32_t there) {
          if (here == there) return;
          touching[here].insert(there);
          touching[there].insert(here);
        };
        if (c + 1 < sheet.shown_columns) touch(node[sheet.index(s, r, c + 1)]);
        if (r + 1 < sheet.shown_rows) touch(node[sheet.index(s, r + 1, c)]);
        if (s + 1 < sheet.shown_slices) touch(node[sheet.index(s + 1, r, c)]);
      }
  std::map<std::int32_t, std::size_t> colour;
  std::size_t next = 0;
  for (const auto& [here, others] : touching) {
    std::size_t chosen = next % palette.size();
    for (std::size_t tries = 0; tries < palette.size(); ++tries) {
      const std::size_t wanted = (next + tries) % palette.size();
      const bool taken = std::any_of(others.begin(), others.end(), [&](std::int32_t other) {
        const auto found = colour.find(other);
        return found != colour.end() && found->second == wanted;
      });
      if (!taken) {
        chosen = wanted;
        break;
      }
    }
    colour[here] = chosen;
    next = chosen + 1;
  }
  return colour;
}

class Panel {
 public:
  Panel(const Grid& grid, const Sheet& sheet, const GridPanel& content, double left, double top, std::string& out)
      : grid_(grid), sheet_(sheet), node_(content.node_of_cell), out_(out) {
    double y = top + title_height - 8;
    text(left, y, "title", content.title);
    for (const std::string& line : content.lines) text(left, y += line_height, "line", line);
    const auto colours = colours_of(sheet, node_);
    for (int s = 0; s < sheet.shown_slices; ++s) {
      const double x = left + (s % sheet.per_line) * (sheet.slice_width() + gap);
      double slice_top = y + 10 + (s / sheet.per_line) * (sheet.slice_height() + gap);
      if (sheet.slices > 1) {
        text(x, slice_top + caption_height - 5, "caption", slice_name(s));
        slice_top += caption_height;
      }
      slice(s, x, slice_top, colours);
    }
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void text(double x, double y, const char* kind, const std::string& words) {
    put("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kind, x, y, escaped(words));
  }

  std::string slice_name(int slice) const {
    std::vector<int> at;
    std::int64_t rest = slice;
    for (int d = grid_.ndims() - 3; d >= 0; --d) {
      at.insert(at.begin(), static_cast<int>(rest % grid_.length(d)));
      rest /= grid_.length(d);
    }
    return fmt::format("({}, *, *)", fmt::join(at, ", "));
  }

  std::int32_t node(int s, int r, int c) const { return node_[sheet_.index(s, r, c)]; }

  void slice(int s, double left, double top, const std::map<std::int32_t, std::size_t>& colours) {
    const double side = sheet_.cell;
    // Runs of one node in a row are one rectangle.
    for (int r = 0; r < sheet_.shown_rows; ++r)
      for (int c = 0; c < sheet_.shown_columns;) {
        int end = c + 1;
        while (end < sheet_.shown_columns && node(s, r, end) == node(s, r, c)) ++end;
        put("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
            "shape-rendering=\"crispEdges\"/>\n",
            left + c * side, top + r * side, (end - c) * side, side, palette[colours.at(node(s, r, c))]);
        c = end;
      }
    std::string borders;
    const auto out = std::back_inserter(borders);
    for (int c = 1; c < sheet_.shown_columns; ++c)
      for (int r = 0; r < sheet_.shown_rows;) {
        int end = r;
        while (end < sheet_.shown_rows && node(s, end, c - 1) != node(s, end, c)) ++end;
        if (end > r) fmt::format_to(out, "M{:.2f} {:.2f}V{:.2f}", left + c * side, top + r * side, top + end * side);
        r = std::max(end, r + 1);
      }
    for (int r = 1; r < sheet_.shown_rows; ++r)
      for (int c = 0; c < sheet_.shown_columns;) {
        int end = c;
        while (end < sheet_.shown_columns && node(s, r - 1, end) != node(s, r, end)) ++end;
        if (end > c) fmt::format_to(out, "M{:.2f} {:.2f}H{:.2f}", left + c * side, top + r * side, left + end * side);
        c = std::max(end, c + 1);
      }
    put("<path class=\"border\" d=\"{}M{:.2f} {:.2f}h{:.2f}v{:.2f}h{:.2f}z\"/>\n", borders, left, top,
        sheet_.slice_width(), sheet_.shown_rows * side, -sheet_.slice_width());
    numbers(s, left, top);
  }

  // Whether a label of so many cells across and down, with its middle there, lies on cells of one node only.
  bool fits(int s, std::int32_t number, double row, double column, double wide, double high) const {
    const int first_row = static_cast<int>(std::floor(row - high / 2)), last_row = static_cast<int>(row + high / 2),
              first_column = static_cast<int>(std::floor(column - wide / 2)),
              last_column = static_cast<int>(column + wide / 2);
    if (first_row < 0 || first_column < 0 || last_row >= sheet_.shown_rows || last_column >= sheet_.shown_columns)
      return false;
    for (int r = first_row; r <= last_row; ++r)
      for (int c = first_column; c <= last_column; ++c)
        if (node(s, r, c) != number) return false;
    return true;
  }

  // The node's number where it lies most in the middle of the node's cells, and on none of their borders; left out
  // where there is no such place.
  void numbers(int s, double left, double top) {
    std::map<std::int32_t, std::vector<std::pair<int, int>>> cells;
    for (int r = 0; r < sheet_.shown_rows; ++r)
      for (int c = 0; c < sheet_.shown_columns; ++c) cells[node(s, r, c)].emplace_back(r, c);
    for (const auto& [number, own] : cells) {
      double middle_row = 0.5, middle_column = 0.5;
      for (const auto& [r, c] : own) {
        middle_row += r / static_cast<double>(own.size());
        middle_column += c / static_cast<double>(own.size());
      }
      const double wide = (digit_width * static_cast<double>(std::to_string(number).size()) + 2) / sheet_.cell,
                   high = (digit_height + 2) / sheet_.cell;
      double best = -1, row = 0, column = 0;
      for (const auto& [r, c] : own)
        for (const double down : {0.5, 1.0})
          for (const double across : {0.5, 1.0}) {
            const double distance = std::abs(r + down - middle_row) + std::abs(c + across - middle_column);
            if ((best >= 0 && distance >= best) || !fits(s, number, r + down, c + across, wide, high)) continue;
            best = distance;
            row = r + down;
            column = c + across;
          }
      if (best >= 0)
        put("<text class=\"node\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left + column * sheet_.cell,
            top + row * sheet_.cell + 3.5, number);
    }
  }

  const Grid& grid_;
  const Sheet& sheet_;
  std::span<const std::int32_t> node_;
  std::string& out_;
};

}  // namespace

std::string draw_grids(const Grid& grid, std::span<const GridPanel> panels, const std::string& heading) {
  const Sheet sheet(grid);
  std::size_t lines = 0;
  for (const GridPanel& panel : panels) lines = std::max(lines, panel.lines.size());
  const double text_height = title_height + static_cast<double>(lines) * line_height + 10;
  const double column = std::max(sheet.width(), 380.0), top = margin + 30;
  const int across = panels.size() < 2 ? 1 : 2;
  const auto down = (panels.size() + 1) / 2;
  const double width = 2 * margin + across * column + (across - 1) * 2 * margin;
  const double panel_height = text_height + sheet.height() + margin;
  const double height = top + static_cast<double>(down) * panel_height + (sheet.whole() ? 0 : line_height);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} {:.0f}\">\n"
      "<style>text{{font-family:sans-serif;fill:#222}} .heading{{font-size:18px;font-weight:bold}} "
      ".title{{font-size:15px;font-weight:bold}} .line,.caption{{font-size:12px}} "
      ".node{{font-size:10px;text-anchor:middle}} .border{{fill:none;stroke:#222;stroke-width:{:.2f}}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height, width, height, std::clamp(sheet.cell / 8, 0.4, 1.6));
  fmt::format_to(std::back_inserter(out), "<text class=\"heading\" x=\"{}\" y=\"{}\">{}</text>\n", margin, margin + 10,
                 escaped(heading));
  for (std::size_t p = 0; p < panels.size(); ++p)
    Panel(grid, sheet, panels[p], margin + static_cast<double>(p % 2) * (column + 2 * margin),
          top + static_cast<double>(p / 2) * panel_height, out);
  if (!sheet.whole())
    fmt::format_to(
        std::back_inserter(out),
        "<text class=\"line\" x=\"{}\" y=\"{:.1f}\">Shown: {} of {} slices, {} of {} rows, {} of {} columns.</text>\n",
        margin, height - 10, sheet.shown_slices, sheet.slices, sheet.shown_rows, sheet.rows, sheet.shown_columns,
        sheet.columns);
  return out + "</svg>\n";
}

}  // namespace marshal::mapping
