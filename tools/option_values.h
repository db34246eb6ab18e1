// Options that several commands take: the grid and the nodes of `marshal map` and `marshal order`, and the machine that
// they predict for.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/grid.h"
#include "mapping/levels_above.h"
#include "mapping/prediction.h"
#include "mapping/stencil.h"
#include "tools/command_line.h"

namespace marshal::tools {

// Numbers from `least` to `most`, as "50x48" or "24,24,48". Throws std::invalid_argument, with a message that begins
// with the name of the option.
std::vector<int> integers(std::string_view text, char separator, int least, std::string_view option,
                          int most = std::numeric_limits<int>::max());

// --dims, --stencil, --weights, --periodic and --bytes.
struct GridOptions {
  std::string dims, stencil = "star", weights, periodic;
  double bytes = mapping::Machine{}.bytes_per_weight;

  void add_to(CommandLine& line, const OptionRules& of_dims);
  // Both throw std::invalid_argument.
  mapping::Grid grid() const;
  mapping::Stencil stencil_of(const mapping::Grid& grid) const;
};

// --nodes, --ppn, --sizes and --topology-file.
struct NodeOptions {
  int nodes = 0, per_node = 0;
  std::string sizes, topology_file;

  void add_to(CommandLine& line);
  // How many of the ways to give the nodes are taken, of --nodes with --ppn, and --sizes.
  int ways() const;
  // The processes that each node takes: as many nodes as `ranks` need, if --nodes does not say. Throws
  // std::invalid_argument.
  std::vector<int> places(std::int64_t ranks) const;
};

// "6 nodes of 8 processes".
std::string nodes_text(std::span<const std::int32_t> capacity);

// The levels above these nodes that a file describes, outermost first. Throws std::invalid_argument if the file cannot
// be read, describes no tree, or lacks a node.
std::vector<mapping::NodeLevel> levels_in_file(const std::string& path, std::span<const std::string> nodes);

// --effort as 100K. Throws std::invalid_argument.
std::int64_t effort_of(const std::string& text);

// --node-rate and --process-rate.
struct Rates {
  double node = mapping::Machine{}.node_rate / 1e9, process = mapping::Machine{}.process_rate / 1e9;  // GB/s
  void add_to(CommandLine& line);
  mapping::Machine machine() const;
};

}  // namespace marshal::tools
