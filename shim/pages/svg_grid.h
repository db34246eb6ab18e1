// The drawing of a grid as SVG: a colour for each node, borders between the nodes, their numbers where they fit. A grid
// of more than two dimensions lies on the paper as slices along its leading ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace marshal::report {

struct GridDrawing {
  std::string elements;          // to be put into an <svg>, from (0, 0) on, beside a style sheet with grid_style()
  double width = 0, height = 0;  // pixels
  std::string shown;             // how much of a large grid is drawn; empty: all of it
};

// node_of_cell in row-major order of dims, slowest first; no more than about `side` pixels wide and high. Without
// dimensions it is one cell. Throws std::invalid_argument if the lengths do not match.
GridDrawing draw_grid(std::span<const std::uint64_t> dims, std::span<const std::uint32_t> node_of_cell, double side);

std::string_view grid_style();

}  // namespace marshal::report
