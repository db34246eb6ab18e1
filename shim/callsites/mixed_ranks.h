// Programs known to use the ranks of a grid in the communicator that the grid was made from, although they let MPI
// reorder it. With hosts that never reorder they run right. Their processes must keep their ranks.
#pragma once

#include "callsites/call_frames.h"

namespace marshal {

// True if one of the frames belongs to such a program or library: the innermost may be a tool's that stands in front of
// Marshal. All processes that run the same code get the same answer. Thread safe.
bool mixes_ranks(const CallFrames& frames);

}  // namespace marshal
