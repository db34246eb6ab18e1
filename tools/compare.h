// The differences between two runs, as text.
#pragma once

#include <string>

#include "report/record.h"

namespace marshal::tools {

// Tables of the differences: the job, settings, costs, communicators by call and place, grids by dimensions, datatypes
// by layout. Rows of one run only are marked; sections without a difference say so.
std::string compare_text(const report::Record& before, const report::Record& after);

}  // namespace marshal::tools
