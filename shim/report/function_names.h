// Names of functions for call sites, from the symbol tables of the program's files: what a library can do without debug
// information readers. `marshal report` finds files and lines as well.
#pragma once

#include "report/record.h"

namespace marshal::report {

// Fills in `symbol` of every row that has frames and no symbol yet, where the file is there and not stripped. The
// innermost frame that has a name counts.
void add_function_names(Record& record);

// "ns::solve(int)" of "_ZN2ns5solveEi"; a name that is not mangled stays.
std::string demangled(const std::string& name);

}  // namespace marshal::report
