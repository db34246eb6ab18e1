// Rank maps under real MPIs: group calls and the making of communicators, through Marshal and bare.
#pragma once

#include <optional>
#include <vector>

#include "tools/figure_table.h"

namespace marshal::tools {

// One table a kind, all hosts in it; starts `ranks` processes on each. None, with a line on stderr, when a run failed.
std::optional<std::vector<FigureTable>> host_tables(int ranks, bool want_groups, bool want_creation);

}  // namespace marshal::tools
