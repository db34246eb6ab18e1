// The papers' memory figures: models from first principles beside what Marshal's maps really allocate.
#pragma once

#include <vector>

#include "tools/figure_table.h"

namespace marshal::tools {

// Per process, for 10 and 100 communicators of each kind; `all` for every number of processes of the paper's axes.
std::vector<FigureTable> memory_tables(bool all);
// Table 1 of the sparse-group paper, beside what maps of those forms allocate.
FigureTable sparse_format_memory();
// Each published statement about memory: whether the model gives it, with which parameters, or why not.
FigureTable published_memory_claims();

}  // namespace marshal::tools
