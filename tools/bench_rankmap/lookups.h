// The costs of rank translation by form and size, beside the published rates, and those of making maps and of group
// operations.
#pragma once

#include <vector>

#include "tools/figure_table.h"

namespace marshal::tools {

FigureTable lookup_costs(int rounds);        // ns a lookup by form and size, independent and dependent
FigureTable many_communicators(int rounds);  // a hundred communicators at random
FigureTable translation_rates(int rounds);   // beside AV-Rankmap Table V
FigureTable creation_costs(int rounds);      // detection, composition, irregular tables
FigureTable group_operations(int rounds);    // compare, difference, translate
FigureTable translations(int rounds);        // all ranks of a group, in every form

}  // namespace marshal::tools
