// The report's rows of grids.
#pragma once

#include <memory>
#include <string>

#include "callsites/call_frames.h"
#include "host/cart_reordering.h"
#include "report/record.h"

namespace marshal {

enum class Moved { nothing, ranks, coordinates };

// Call on the process that has rank 0 in the grid. `communicator`, which `books` are of, is the one that the plan is
// for. `plan`: null where nothing was looked for; `reason` then says why.
void note_grid(const CallFrames& frames, MPI_Comm communicator, const Communicator& books, const mapping::Grid& grid,
               std::shared_ptr<const GridPlan> plan, Moved moved, const std::string& reason);

void put_grids_into(report::Record& record);

}  // namespace marshal
