// How many bytes go from node to node, as SVG: a square for each pair, the darker the more on a logarithmic scale that
// all panels share. Above 256 nodes a square stands for a block of nodes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marshal::report {

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
