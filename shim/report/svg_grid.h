// A grid with a colour for each node, as SVG: slices along the leading dimensions where there are more than two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marshal::report {

// Drawn with at most this many runs, and slices; a finer grid is left out.
inline constexpr std::size_t kMostDrawnRuns = 6000, kMostSlices = 64;

// node_runs: (node, cells) along the row-major order of dims. Empty when there is nothing to draw or it is too fine.
std::string grid_picture(const std::vector<std::uint64_t>& dims,
                         const std::vector<std::pair<std::uint64_t, std::uint64_t>>& node_runs, std::string_view title);

// The colour of a node, far from those of the numbers near it.
std::string node_colour(std::uint64_t node);

}  // namespace marshal::report
