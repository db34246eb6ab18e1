// Programs known to use the ranks of a grid in the communicator that the grid was made from, although they let MPI
// reorder it. With hosts that never reorder they run right. Their processes must keep their ranks.
#pragma once

namespace marshal {

// True if the code at `caller`, a return address, belongs to such a program or library. All processes that run the same
// code get the same answer.
bool mixes_ranks(const void* caller);

}  // namespace marshal
