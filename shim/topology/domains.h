// The parts of one node that processes are bound to, by hwloc: packages, NUMA domains, shared third-level caches. The
// node is this process's own, or one that an hwloc synthetic string describes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marshal::topology {

// A made-up machine in one line, for tests and planning (MARSHAL_TOPOLOGY, `marshal map --topology`):
//
//   nodes:4              4 nodes, the ranks in blocks, as even as can be
//   nodes:24,24,48       nodes of these sizes, filled in order
//   cyclic:4             4 nodes, ranks dealt out in turn
//   nodes:4 package:2 l3:2 core:6 pu:1     and, after a blank, the inside of each node as an hwloc synthetic string
struct PlacementDescription {
  std::int32_t nodes = 0;
  std::vector<std::int32_t> sizes;  // empty: even blocks, or dealt out
  bool cyclic = false;
  std::string inside;  // hwloc synthetic string; empty: not described
};

// Throws std::invalid_argument with a message for the user.
PlacementDescription parse_placement(std::string_view text);

// The node of each rank. Throws std::invalid_argument where the sizes do not hold that many ranks.
std::vector<std::int32_t> node_of_rank(const PlacementDescription& description, std::int32_t ranks);

struct DomainLevel {
  std::string name;                     // package, numa, l3
  std::vector<std::int32_t> domain_of;  // of each process; -1: bound to none, or to more than one
  bool operator==(const DomainLevel&) const = default;
};

struct Domains {
  std::vector<DomainLevel> levels;  // outermost first; only levels that tell some processes apart and join others
  std::string problem;              // for the user, if something could not be found out
};

// The processing units a process may run on, by their numbers in the operating system.
using Cpus = std::vector<int>;

// The processing units of this process; empty if it may use all, or if they are not known.
Cpus own_cpus();

// Loads hwloc. If all processes of a large node do it at once, it may take seconds. So one process a node asks for all
// of them. `wanted`: names of levels; empty for all three.
Domains domains_of(std::span<const Cpus> processes, std::span<const std::string> wanted = {});

// The same on a made-up node, whose processes are spread evenly over its processing units, in order.
Domains synthetic_domains(const std::string& description, std::int32_t processes,
                          std::span<const std::string> wanted = {});

}  // namespace marshal::topology
