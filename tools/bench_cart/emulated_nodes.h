// Programs on emulated nodes of this machine, each with a network interface of limited rate if that is allowed: the
// script of tools/cluster, as installed in libexecdir/marshal/cluster or in the build tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/mpi_program.h"

namespace marshal::tools {

// Bytes a second of "200mbit", "1gbit", "64kbit".
std::optional<double> rate_of(const std::string& text);

class EmulatedNodes {
 public:
  // `rate`: as rate_of, or "none"; `way`: as tools/cluster/run says it, or empty.
  EmulatedNodes(int nodes, int per_node, std::string rate, std::string way);

  bool installed() const { return !script_.empty(); }
  // Tries to start a small program; if the machine refuses, a line on stderr says so, and the network is not limited.
  void try_limit(const ConfiguredHost& host);
  bool limited() const { return !rate_.empty(); }
  std::string network() const;      // for a heading
  double bytes_per_second() const;  // of a node; for an unlimited one what mapping::Machine assumes

  std::vector<std::string> command(const ConfiguredHost& host, const std::string& library,
                                   const std::vector<std::string>& variables,
                                   const std::vector<std::string>& program) const;

 private:
  int nodes_, per_node_;
  std::string rate_, way_, script_;
};

}  // namespace marshal::tools
