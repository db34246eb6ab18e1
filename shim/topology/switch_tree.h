// The switches above the nodes, from a file. It has lines of Slurm's topology.conf(5), or shorter ones:
//
//   SwitchName=s0 Nodes=n[0-3,7]      s0: n0,n1,n2,n3,n7
//   SwitchName=top Switches=s[0-1]    top: s0,s1
//
// A switch has nodes or switches. A comment begins with #, and a line that ends in \ goes on in the next one.
// Keywords may be written in either case; LinkSpeed and Level are not used. Lists are hostlists (hostlist.h). What
// "scontrol show topology" prints is understood, too: a switch with both lists there has the switches.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marshal::topology {

struct SwitchLevel {
  std::int32_t level = 0;                    // 0: the switches that have nodes, as Slurm counts
  std::vector<std::int32_t> domain_of_node;  // numbered by first appearance
  bool operator==(const SwitchLevel&) const = default;
};

// "switches", "switches of level 1" and so on.
std::string name_of_level(std::int32_t level);

class SwitchTree {
 public:
  static constexpr std::int32_t most_levels = 16;

  // Throws std::invalid_argument, with a message that begins with `file`: for lines that are not understood, names that
  // are defined twice or nowhere, what stands under two switches, and switches that stand under themselves.
  SwitchTree(std::string_view text, const std::string& file);

  // The levels above these nodes, outermost first. Left out are levels that tell no nodes apart, or each node from all
  // others, and all but the lowest of those that tell the same nodes apart. A switch without one of the next level
  // above it stands for one there; trees that have no common root are apart. A node that the file does not have counts
  // by the part of its name in front of the first dot. Throws std::invalid_argument for nodes that are not there by
  // that name, either.
  std::vector<SwitchLevel> levels_above(std::span<const std::string> nodes) const;

 private:
  struct Switch {
    std::string name;
    std::int32_t parent = -1, level = 0;
  };
  class Reader;

  std::int32_t switch_of(const std::string& node) const;
  std::vector<std::int32_t> domains_at(std::int32_t level, std::span<const std::int32_t> lowest) const;

  std::string file_;
  std::vector<Switch> switches_;
  std::map<std::string, std::int32_t, std::less<>> switch_of_node_;
};

}  // namespace marshal::topology
