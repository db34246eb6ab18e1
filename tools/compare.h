// The differences between two runs, as text.
#pragma once

#include <string>

#include "report/record.h"

namespace marshal::tools {

// Seconds of both first, with their ratios. Then tables of the differences: the job, settings, costs, communicators by
// call and place, grids by dimensions, datatypes by layout. Rows of one run only are marked; sections without a
// difference say so.
std::string compare_text(const report::Record& before, const report::Record& after);

}  // namespace marshal::tools
