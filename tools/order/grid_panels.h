// Several orders of the processes on one grid, drawn side by side as an SVG document.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace marshal::tools {

struct GridPanel {
  std::string title;
  std::vector<std::string> lines;  // under the title
  std::vector<std::uint32_t> node_of_cell;
};

std::string draw_panels(std::span<const std::uint64_t> dims, std::span<const GridPanel> panels,
                        const std::string& heading);

}  // namespace marshal::tools
