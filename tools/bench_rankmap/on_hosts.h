// Rank maps under real MPIs: group calls, translations in every form of map, and the making of communicators, through
// Marshal and bare.
#pragma once

#include <optional>
#include <vector>

#include "tools/figure_table.h"

namespace marshal::tools {

struct HostSections {
  bool groups, translation, creation;
};

// One table a section, all hosts in it; starts `ranks` processes on each, for translation once for each form. None,
// with a line on stderr, when a run failed.
std::optional<std::vector<FigureTable>> host_tables(int ranks, HostSections wanted);

}  // namespace marshal::tools
