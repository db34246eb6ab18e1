// What changed between two runs, as text.
#pragma once

#include <string>

#include "report/record.h"

namespace marshal::tools {

// Tables of what differs: the job, settings, costs, communicators by call and place, grids by dimensions, datatypes by
// layout. What is in one run only is shown as such; sections without a difference say so.
std::string compare_text(const report::Record& before, const report::Record& after);

}  // namespace marshal::tools
