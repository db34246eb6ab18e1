// What rank translation costs: by form, by size, by depth of derivation, beside the published rates and latencies.
#pragma once

#include <vector>

#include "tools/bench_rankmap/figure_table.h"

namespace marshal::tools {

FigureTable lookup_costs(int rounds);        // ns a lookup by form and size, independent and dependent
FigureTable many_communicators(int rounds);  // a hundred communicators at random
FigureTable translation_rates(int rounds);   // beside AV-Rankmap Table V
FigureTable generations(int rounds);         // beside AV-Rankmap Table VI
FigureTable latency_per_level(int rounds);   // beside sparse groups, Tables 2 to 4
FigureTable creation_costs(int rounds);      // detection, composition, irregular tables
FigureTable group_operations(int rounds);    // translate, compare, difference

}  // namespace marshal::tools
