// The drawing of a grid as SVG: a colour for each node, borders between the nodes, their numbers where they fit. A grid
// of more than two dimensions lies on the paper as slices along its leading ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// Several orders of the processes on one grid, drawn side by side as an SVG document.
struct GridPanel {
  std::string title;
  std::vector<std::string> lines;  // under the title
  std::vector<std::uint32_t> node_of_cell;
};

std::string draw_panels(std::span<const std::uint64_t> dims, std::span<const GridPanel> panels,
                        const std::string& heading);

// How many bytes go from node to node, as SVG: a square for each pair, the darker the more on a logarithmic scale that
// all panels share. Above 256 nodes a square stands for a block of nodes.
struct NodeBytes {
  std::uint32_t from = 0, to = 0;
  double bytes = 0;
  bool operator==(const NodeBytes&) const = default;
};

struct HeatPanel {
  std::string title;
  std::vector<std::string> lines;    // under the title
  std::span<const NodeBytes> pairs;  // in any order, repeated ones add up; within one node: not drawn
};

inline constexpr std::uint32_t most_drawn_nodes = 256;

// in_page: no wider than there is room, and without the name space that a document has.
enum class Stands : bool { alone, in_page };
// A whole SVG document, the panels side by side. Colours are its own, so it can stand in an HTML page, too.
std::string heat_maps(std::uint32_t nodes, std::span<const HeatPanel> panels, std::string_view heading,
                      Stands stands = Stands::alone);

}  // namespace marshal::report
