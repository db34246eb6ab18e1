// The figures of `marshal bench rankmap`: those of the papers about rank maps, beside models and what Marshal takes.
#pragma once

#include <vector>

#include "tools/bench/frame.h"

namespace marshal::tools {

// rates.cc: lookups, also in communicators made from communicators, beside the published rates and latencies.
FigureTable translation_rates(int rounds);  // beside AV-Rankmap Table V
FigureTable generations(int rounds);        // beside AV-Rankmap Table VI
FigureTable latency_per_level(int rounds);  // beside sparse groups, Tables 2 to 4

// memory.cc: models from first principles beside what Marshal's maps really allocate.
// Per process, for 10 and 100 communicators of each kind; `all` for every number of processes of the paper's axes. The
// last is Table 1 of the sparse-group paper, beside what maps of those forms allocate.
std::vector<FigureTable> memory_tables(bool all);
// Each published statement about memory: whether the model gives it, with which parameters, or why not.
FigureTable published_memory_claims();

// events.cc: single translations, beside the papers' tables.
// Preprint Table III, by callgrind.
FigureTable instruction_counts();
// AV-Rankmap Table IV: the processor's counters through PAPI, or else callgrind's cache simulation; the title says
// which.
FigureTable cache_misses();
// The program's work when it is run again under valgrind: every probe of a model, `calls` times each.
void run_probes(int model, int processes, int calls);

}  // namespace marshal::tools
