// Grids that a program makes only to ask them for ranks: it frees them at once, so the ranks are meant for another
// communicator. Where Marshal gave the processes of such a grid other ranks, they are other processes there.
#pragma once

#include <mpi.h>

#include "record/record.h"

namespace marshal {

// The processes of `grid`, just made, have other ranks than in the communicator that it was made from.
void watch_grid(MPI_Comm grid);

// It is about to be freed.
void watched_grid_ends(MPI_Comm grid);

// Warns of grids that lived for less than a hundredth of the run. Call when the record knows the wall time.
void warn_of_short_lived_grids(report::Record& record);

}  // namespace marshal
