// Pictures of grids as SVG: every cell in the colour of its node, borders between nodes drawn, several orders side by
// side. Grids of three dimensions and more are drawn as slices along the first ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/grid.h"

namespace marshal::mapping {

struct GridPanel {
  std::string title;
  std::vector<std::string> lines;  // under the title
  std::span<const std::int32_t> node_of_cell;
};

// A whole SVG document. What would be too large to look at is cut off, and the picture says so.
std::string draw_grids(const Grid& grid, std::span<const GridPanel> panels, const std::string& heading);

}  // namespace marshal::mapping
