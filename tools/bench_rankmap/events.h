// Instructions and cache misses of single translations, beside the papers' tables.
#pragma once

#include "tools/figure_table.h"

namespace marshal::tools {

// Preprint Table III, by callgrind.
FigureTable instruction_counts();
// AV-Rankmap Table IV: the processor's counters through PAPI, or else callgrind's cache simulation; the title says
// which.
FigureTable cache_misses();

// The program's work when it is run again under valgrind: every probe of a model, `calls` times each.
void run_probes(int model, int processes, int calls);

}  // namespace marshal::tools
