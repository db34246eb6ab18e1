// What a run comes to, in a handful of figures: for whoever reads only one line of a report.
#pragma once

#include <string>
#include <vector>

#include "report/record.h"

namespace marshal::report {

struct Outcome {
  std::string figure;  // "33 % less"
  std::string what;    // "off-node weight of grids"
  std::string detail;  // "Jsum 24 -> 16; 8 of 16 processes moved"
};

// Of grids, communicators, packing and Marshal itself, in this order; what did not happen is left out, and so is a
// figure that nothing was measured for.
std::vector<Outcome> outcomes(const Record& record);

}  // namespace marshal::report
