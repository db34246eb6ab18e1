// The figures of `marshal bench rankmap`: those of the papers about rank maps, beside models and what Marshal takes.
#pragma once

#include <optional>
#include <vector>

#include "tools/figure_table.h"

namespace marshal::tools {

// lookups.cc: translations, making maps, and group operations, beside the published rates.
FigureTable lookup_costs(int rounds);        // ns a lookup by form and size, independent and dependent
FigureTable many_communicators(int rounds);  // a hundred communicators at random
FigureTable translation_rates(int rounds);   // beside AV-Rankmap Table V
FigureTable creation_costs(int rounds);      // detection, composition, irregular tables
FigureTable group_operations(int rounds);    // compare, difference, translate
FigureTable translations(int rounds);        // all ranks of a group, in every form

// derivation_depth.cc: lookups in communicators made from communicators, beside the published rates and latencies.
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

// on_hosts.cc: rank maps under real MPIs, through Marshal and bare.
struct HostSections {
  bool groups, translation, creation;  // group calls, translations in every form of map, the making of communicators
};
// One table a section, all hosts in it; starts `ranks` processes on each, for translation once for each form. None,
// with a line on stderr, when a run failed.
std::optional<std::vector<FigureTable>> host_tables(int ranks, HostSections wanted);

}  // namespace marshal::tools
