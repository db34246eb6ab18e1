// Names of functions as a reader wants them.
#pragma once

#include <string>

namespace marshal::report {

// "_ZN2ns5solveIdEEvi" -> "ns::solve<...>": without result, arguments and what a template was made for, which make a
// table's cell too wide and say little; gfortran's "__grid_MOD_setup" -> "grid::setup". All else stays as it is.
std::string function_name(const std::string& symbol);

}  // namespace marshal::report
