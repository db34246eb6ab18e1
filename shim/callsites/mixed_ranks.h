// Programs that are known to use the ranks of a grid in the communicator that the grid was made from, although they let
// MPI reorder it. They run right with hosts that never reorder; processes of theirs must keep their ranks.
#pragma once

namespace marshal {

// Whether the code at `caller`, a return address, belongs to such a program or library. The same answer in all
// processes that run the same code.
bool mixes_ranks(const void* caller);

}  // namespace marshal
