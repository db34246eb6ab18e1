#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/printable_text.h"
#include "pages/pictures.h"

namespace marshal::report {
namespace {

// Light enough for dark numbers and lines on them; neighbours in the list differ most.
constexpr std::array<const char*, 12> palette{"#8ecae6", "#ffd166", "#a7d49b", "#f4a6a0", "#c8b6e2", "#f7c59f",
                                              "#9ad4d6", "#e6e08a", "#f2b5d4", "#b5c99a", "#bcd4f6", "#d9c3a5"};

constexpr int gap = 14, largest_cell = 26, most_side = 1024, most_slices = 64, caption_height = 16;
constexpr double least_cell = 0.5, ruled_cell = 6;                 // sides of cells in pixels
constexpr double digit_width = 6.4, digit_height = 8;              // of the numbers on nodes, in pixels
constexpr std::size_t most_numbered_cells = std::size_t{1} << 18;  // placing the numbers takes longest

// How the grid lies on the paper: slices of `rows` x `columns` cells, of which some are shown.
struct Sheet {
  std::int64_t rows = 1, columns = 1, slices = 1;
  int shown_rows, shown_columns, shown_slices;
  int per_line = 1;  // slices beside each other
  double cell = 0;   // side in pixels

  Sheet(std::span<const std::uint64_t> dims, double side) {
    const std::size_t n = dims.size();
    if (n >= 1) columns = static_cast<std::int64_t>(dims[n - 1]);
    if (n >= 2) rows = static_cast<std::int64_t>(dims[n - 2]);
    for (std::size_t d = 0; d + 2 < n; ++d) slices *= static_cast<std::int64_t>(dims[d]);
    shown_rows = static_cast<int>(std::min<std::int64_t>(rows, most_side));
    shown_columns = static_cast<int>(std::min<std::int64_t>(columns, most_side));
    shown_slices = static_cast<int>(std::min<std::int64_t>(slices, most_slices));
    // The largest cells with which all slices fit into the square.
    for (int across = 1; across <= shown_slices; ++across) {
      const int down = (shown_slices + across - 1) / across;
      const double wide = (side - (across - 1.0) * gap) / (across * shown_columns);
      const double high = (side - (down - 1.0) * (gap + caption_height)) / (down * shown_rows);
      const double fitting = std::min({wide, high, static_cast<double>(largest_cell)});
      if (fitting <= cell) continue;
      cell = fitting;
      per_line = across;
    }
    cell = std::max(cell, least_cell);
  }

  double slice_width() const { return shown_columns * cell; }
  double slice_height() const { return shown_rows * cell + (slices > 1 ? caption_height : 0); }
  double width() const { return per_line * slice_width() + (per_line - 1) * gap; }
  double height() const {
    const int down = (shown_slices + per_line - 1) / per_line;
    return down * slice_height() + (down - 1) * gap;
  }
  std::string shown() const {
    if (shown_rows == rows && shown_columns == columns && shown_slices == slices) return {};
    return fmt::format("Shown: {} of {} slices, {} of {} rows, {} of {} columns.", shown_slices, slices, shown_rows,
                       rows, shown_columns, columns);
  }
};

class Drawer {
 public:
  Drawer(std::span<const std::uint64_t> dims, std::span<const std::uint32_t> nodes, double side)
      : dims_(dims), nodes_(nodes), sheet_(dims, side), colours_(colours()) {}

  GridDrawing drawing() {
    for (int s = 0; s < sheet_.shown_slices; ++s) {
      const double x = (s % sheet_.per_line) * (sheet_.slice_width() + gap);
      double y = (s / sheet_.per_line) * (sheet_.slice_height() + gap);
      if (sheet_.slices > 1) {
        put("<text class=\"caption\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x, y + caption_height - 5, slice_name(s));
        y += caption_height;
      }
      // In units of cells.
      put("<g transform=\"translate({:.1f} {:.1f}) scale({:.4g})\">\n", x, y, sheet_.cell);
      cells(s);
      borders(s);
      put("</g>\n");
      if (nodes_.size() <= most_numbered_cells) numbers(s, x, y);
    }
    return {std::move(out_), sheet_.width(), sheet_.height(), sheet_.shown()};
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...);
  }

  std::uint32_t node(int s, int r, int c) const {
    return nodes_[static_cast<std::size_t>((s * sheet_.rows + r) * sheet_.columns + c)];
  }

  // Nodes that touch in the picture, or in neighbouring slices, get different colours if twelve suffice.
  std::map<std::uint32_t, std::size_t> colours() const {
    std::map<std::uint32_t, std::set<std::uint32_t>> touching;
    const auto touch = [&](std::uint32_t here, std::uint32_t there) {
      if (here == there) return;
      touching[here].insert(there);
      touching[there].insert(here);
    };
    for (int s = 0; s < sheet_.shown_slices; ++s)
      for (int r = 0; r < sheet_.shown_rows; ++r)
        for (int c = 0; c < sheet_.shown_columns; ++c) {
          const std::uint32_t here = node(s, r, c);
          if (c == 0 || node(s, r, c - 1) != here) touching[here];
          if (c + 1 < sheet_.shown_columns) touch(here, node(s, r, c + 1));
          if (r + 1 < sheet_.shown_rows) touch(here, node(s, r + 1, c));
          if (s + 1 < sheet_.shown_slices) touch(here, node(s + 1, r, c));
        }
    std::map<std::uint32_t, std::size_t> colour;
    std::size_t next = 0;
    for (const auto& [here, others] : touching) {
      const auto is_taken = [&, &others = others](std::size_t wanted) {
        return std::any_of(others.begin(), others.end(), [&](std::uint32_t other) {
          const auto found = colour.find(other);
          return found != colour.end() && found->second == wanted;
        });
      };
      std::size_t tries = 0;
      while (tries < palette.size() && is_taken((next + tries) % palette.size())) ++tries;
      colour[here] = (next + tries) % palette.size();
      next = colour[here] + 1;
    }
    return colour;
  }

  std::string slice_name(int slice) const {
    std::vector<std::uint64_t> at;
    auto rest = static_cast<std::uint64_t>(slice);
    for (std::size_t d = dims_.size() - 2; d-- > 0;) {
      at.insert(at.begin(), rest % dims_[d]);
      rest /= dims_[d];
    }
    return fmt::format("({}, *, *)", fmt::join(at, ", "));
  }

  // One element a node keeps the file small.
  void cells(int s) {
    std::map<std::uint32_t, std::string> paths;
    for (int r = 0; r < sheet_.shown_rows; ++r)
      for (int c = 0; c < sheet_.shown_columns;) {
        int end = c + 1;
        while (end < sheet_.shown_columns && node(s, r, end) == node(s, r, c)) ++end;
        paths[node(s, r, c)] += fmt::format("M{} {}h{}v1h-{}z", c, r, end - c, end - c);
        c = end;
      }
    for (const auto& [number, path] : paths)
      put("<path fill=\"{}\" shape-rendering=\"crispEdges\" d=\"{}\"><title>node {}</title></path>\n",
          palette[colours_.at(number)], path, number);
    if (sheet_.cell < ruled_cell) return;
    put("<path class=\"rules\" stroke-width=\".04\" d=\"");
    for (int c = 1; c < sheet_.shown_columns; ++c) put("M{} 0v{}", c, sheet_.shown_rows);
    for (int r = 1; r < sheet_.shown_rows; ++r) put("M0 {}h{}", r, sheet_.shown_columns);
    put("\"/>\n");
  }

  void borders(int s) {
    put("<path class=\"border\" stroke-width=\"{:.3f}\" d=\"", std::clamp(sheet_.cell / 8, 0.1, 1.6) / sheet_.cell);
    for (int c = 1; c < sheet_.shown_columns; ++c)
      for (int r = 0; r < sheet_.shown_rows;) {
        int end = r;
        while (end < sheet_.shown_rows && node(s, end, c - 1) != node(s, end, c)) ++end;
        if (end > r) put("M{} {}V{}", c, r, end);
        r = std::max(end, r + 1);
      }
    for (int r = 1; r < sheet_.shown_rows; ++r)
      for (int c = 0; c < sheet_.shown_columns;) {
        int end = c;
        while (end < sheet_.shown_columns && node(s, r - 1, end) != node(s, r, end)) ++end;
        if (end > c) put("M{} {}H{}", c, r, end);
        c = std::max(end, c + 1);
      }
    put("M0 0h{}v{}H0z\"/>\n", sheet_.shown_columns, sheet_.shown_rows);
  }

  // True if a label with its middle at (row, column), `wide` cells across and `high` cells down, lies on cells of one
  // node only.
  bool fits(int s, std::uint32_t number, double row, double column, double wide, double high) const {
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

  // Places the node's number as near as possible to the middle of the node's cells, and on none of their borders;
  // leaves it out if there is no such place.
  void numbers(int s, double left, double top) {
    std::map<std::uint32_t, std::vector<std::pair<int, int>>> cells_of;
    for (int r = 0; r < sheet_.shown_rows; ++r)
      for (int c = 0; c < sheet_.shown_columns; ++c) cells_of[node(s, r, c)].emplace_back(r, c);
    for (const auto& [number, own] : cells_of) {
      double middle_row = 0.5, middle_column = 0.5;
      for (const auto& [r, c] : own) {
        middle_row += r / static_cast<double>(own.size());
        middle_column += c / static_cast<double>(own.size());
      }
      const double wide = (digit_width * static_cast<double>(std::to_string(number).size()) + 2) / sheet_.cell,
                   high = (digit_height + 2) / sheet_.cell;
      if (wide * high > static_cast<double>(own.size())) continue;
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

  std::span<const std::uint64_t> dims_;
  std::span<const std::uint32_t> nodes_;
  Sheet sheet_;
  std::map<std::uint32_t, std::size_t> colours_;
  std::string out_;
};

}  // namespace

GridDrawing draw_grid(std::span<const std::uint64_t> dims, std::span<const std::uint32_t> node_of_cell, double side) {
  std::uint64_t cells = 1;
  for (const std::uint64_t length : dims)
    if (__builtin_mul_overflow(cells, length, &cells)) cells = UINT64_MAX;
  if (cells != node_of_cell.size()) throw std::invalid_argument("a grid of another number of cells");
  return Drawer(dims, node_of_cell, side).drawing();
}

std::string_view grid_style() {
  return "svg text.node{font:10px sans-serif;text-anchor:middle;fill:#222} svg text.caption{font:12px sans-serif} "
         ".border{fill:none;stroke:#222} .rules{fill:none;stroke:#fff}";
}

namespace {

constexpr int panel_width = 560, panel_margin = 24, panel_title = 24, panel_line = 17;

}  // namespace

std::string draw_panels(std::span<const std::uint64_t> dims, std::span<const GridPanel> panels,
                        const std::string& heading) {
  double width = 380, panel_height = 0, y = panel_margin + 10;
  std::string out;
  const auto text = [&](double x, const char* kind, const std::string& words) {
    out += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kind, x, y, escaped(words));
  };
  text(panel_margin, "heading", heading);
  const double top = panel_margin + 30;
  std::string shown;
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const GridDrawing drawing = draw_grid(dims, panels[p].node_of_cell, panel_width);
    shown = drawing.shown;
    width = std::max(width, drawing.width);
    const double left = panel_margin + static_cast<double>(p % 2) * (width + 2 * panel_margin);
    const double text_height = panel_title + static_cast<double>(panels[p].lines.size()) * panel_line + 2;
    panel_height = text_height + drawing.height + panel_margin;
    const double panel_top = top + static_cast<double>(p / 2) * panel_height;
    y = panel_top + panel_title - 8;
    text(left, "title", panels[p].title);
    for (const std::string& line : panels[p].lines) {
      y += panel_line;
      text(left, "line", line);
    }
    out += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n", left, panel_top + text_height,
                       drawing.elements);
  }
  const int across = panels.size() < 2 ? 1 : 2;
  width = 2 * panel_margin + across * width + (across - 1) * 2 * panel_margin;
  const double height =
      top + static_cast<double>((panels.size() + 1) / 2) * panel_height + (shown.empty() ? 0 : panel_line);
  y = height - 10;
  if (!shown.empty()) text(panel_margin, "line", shown);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
             "{1:.0f}\">\n<style>text{{font-family:sans-serif;fill:#222}} .heading{{font-size:18px;font-weight:bold}} "
             ".title{{font-size:15px;font-weight:bold}} .line{{font-size:12px}} {2}</style>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
             width, height, grid_style()) +
         out + "</svg>\n";
}

}  // namespace marshal::report
