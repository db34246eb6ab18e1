// Traffic of large jobs that never ran: as a file for "marshal order", and gathered as MPI_Finalize would.
#pragma once

#include <cstdint>
#include <string>

#include "mapping/grid.h"
#include "tools/figure_table.h"

namespace marshal::tools {

// The most bytes of memory that this process had until now.
double resident_peak();

// Writes what an unstructured mesh would send. Each cell of the periodic grid exchanges unequal bytes with all its
// neighbours (26 in three dimensions). The ranks are scattered over the grid, so their numbers show nothing of it.
// Nodes are filled one after the other. Deterministic. Throws std::runtime_error if no file can be made. Returns the
// file's name, STEM.traffic or as in base/new_file.h.
std::string make_traffic_file(const mapping::Grid& grid, std::int32_t per_node, const std::string& stem);

// Gathers rows of `processes` × 26 peers (all others in smaller jobs) as a job's end does (job/traffic_writing.h):
// each process packs its row, the first of a node has those of its node, and rank 0 writes node after node. All in this
// process; no MPI.
FigureTable gathering(std::int32_t processes, std::int32_t per_node);

}  // namespace marshal::tools
