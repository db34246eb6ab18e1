// The report's rows of grids and graph topologies.
#pragma once

#include <memory>
#include <string>

#include "callsites/call_frames.h"
#include "record/record.h"
#include "reordering/cart_reordering.h"
#include "reordering/graph_reordering.h"
#include "reordering/placed_grid.h"

namespace marshal {

// A grid was made: `made` is its communicator; `parent` is the one that it was made from, whose book entry is `entry`.
// Call on all processes of the grid: the one with rank 0 in it tells of the grid, all of their traffic.
// `plan`: null where nothing was looked for; `reason` then says why. Local.
void note_grid(const CallFrames& frames, MPI_Comm made, MPI_Comm parent, const Communicator& entry,
               const mapping::Grid& grid, std::shared_ptr<const GridPlan> plan, bool moved, const std::string& reason);

// A graph was made. Call on the process that planned it, or any one where nobody did. `call`: "MPI_Graph_create", a
// literal.
void note_graph(const CallFrames& frames, const char* call, int processes, const PlannedGraph& plan, bool moved);

// Grids with what this process sent to the others of each grid: on its communicator and on those that were made from
// it. `sent`: apart for each grid.
void put_grids_into(report::Record& record, const std::vector<SentTo>& sent);

// The grid that this process's messages of a GridNumber were sent in, if its processes were moved; else null.
const PlacedGrid* moved_grid(GridNumber number, const std::vector<SentTo>& sent);

}  // namespace marshal
