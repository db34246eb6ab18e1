// A level above the nodes: switches, racks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace marshal::mapping {

struct NodeLevel {
  std::string name;
  std::vector<std::int32_t> domain_of_node;  // any numbers
  bool operator==(const NodeLevel&) const = default;
};

}  // namespace marshal::mapping
