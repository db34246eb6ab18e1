// When a grid or graph that may be reordered keeps its ranks all the same: programs that were never reordered before
// may have faults that only show then. And programs choose their GPU by their rank: they would share one. Where the
// user has set MARSHAL_CART_MOVE=ranks they are moved nevertheless.
//
// A program that dies of the move dies once, as its next run finds the note of it. Where no note can be left, nothing
// moves unless the user asks for it: else the program would die in every run.
#pragma once

#include <string>

#include "base/options.h"
#include "communicators/communicators.h"

namespace marshal {

// In MPI_Init, on all ranks: whether any process of the job could open a GPU.
void note_gpus(bool any);
// In MPI_Init, on all ranks: rank 0's why_moves_are_not_noted() (run_key.h).
void adopt_why_moves_are_not_noted(const std::string& why);

// True if nothing moves because of GPUs or as no note can be left: no source has set MARSHAL_CART or MARSHAL_CART_MOVE.
// The same on all processes.
bool keeps_by_default();

// True if a grid or graph that is made from this communicator keeps its ranks. First reason: the communicator's ranks
// may follow an order of Marshal's already. Some programs take its ranks for those of the grid: they run if neither of
// the two was moved. Second reason: an earlier run moved ranks and is not known to have ended in order
// (run_key.h). Third reason: keeps_by_default(). A process without memory may be the only one that answers true:
// the processes agree before they move.
bool must_keep_ranks(const Communicator& from);

// Why they were kept, for the report.
std::string why_ranks_are_kept();

// On rank 0, in MPI_Init: one line where they are kept because of an earlier run.
void say_whether_ranks_are_kept();

}  // namespace marshal
