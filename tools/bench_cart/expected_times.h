// The expected time of an exchange in a grid without wrap-around on nodes with a limited network. By the model of
// mapping/prediction.h it is that of the slower of processes and network. The processes' time is measured: the same
// exchange within the nodes.
#pragma once

#include <cstdint>
#include <vector>

namespace marshal::tools {

struct Exchange {
  std::vector<int> dims;
  std::vector<std::int64_t> bytes;  // to each of both neighbours in a dimension
  double within_seconds = 0;        // of the same step within the nodes
  double node_rate = 0;             // bytes a second that leave a node
};

struct Expected {
  double seconds = 0;
  std::int64_t jmax = 0;  // neighbours, not bytes
};

// `nodes`: of each cell, any integers.
Expected expected_time(const Exchange& exchange, const std::vector<std::int32_t>& nodes);

// The bytes that the processes of a 2-D grid exchange of a mesh of points x points doubles.
std::vector<std::int64_t> bytes_of_borders(const std::vector<int>& dims, std::int64_t points);

}  // namespace marshal::tools
