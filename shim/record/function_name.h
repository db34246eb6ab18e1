// Short names of functions for a reader.
#pragma once

#include <string>

namespace marshal::report {

// "_ZN2ns5solveIdEEvi" -> "ns::solve<...>": without result, arguments and template arguments, which make a table's cell
// too wide and tell little. gfortran's "__grid_MOD_setup" -> "grid::setup". All else stays as it is.
std::string function_name(const std::string& symbol);

}  // namespace marshal::report
