// The cost of lookups in communicators made from communicators, beside the published rates and latencies.
#pragma once

#include "tools/figure_table.h"

namespace marshal::tools {

FigureTable generations(int rounds);        // beside AV-Rankmap Table VI
FigureTable latency_per_level(int rounds);  // beside sparse groups, Tables 2 to 4

}  // namespace marshal::tools
