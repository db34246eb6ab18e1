// Tells whether messages and collectives of derived datatypes go by calls: the engine packs a buffer with gaps, the
// host's own function gets contiguous elements, and the engine unpacks what came. For hosts whose pipeline lets nobody
// in.
#pragma once

#include "base/relaxed.h"

namespace marshal::calls {

namespace detail {
inline constinit Relaxed<bool> on;
}

// From MPI_Init to MPI_Finalize, where that was chosen. Entry points ask it in each call.
[[gnu::always_inline]] inline bool are_on() { return detail::on; }

}  // namespace marshal::calls
