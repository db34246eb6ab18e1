// `marshal bench pack --fixed`: starts measure.cc's program by turns with and without Marshal, and shows the medians.
// In one process the host's own calls would pass Marshal's hooks inside the host, and profit from what it keeps for
// them.
#pragma once

#include <string>
#include <vector>

#include "tools/mpi_program.h"

namespace marshal::tools {

struct FixedCostsWanted {
  int rounds = 9;  // runs with Marshal, and without
  bool json = false;
  std::vector<std::string> arguments;  // of measure.cc's program
};
// False, with a line on stderr, when a run failed.
bool bench_fixed_costs(const ConfiguredHost& host, const FixedCostsWanted& wanted);

}  // namespace marshal::tools
