// Finds a new communicator's ranks in its parent by reductions over it, in memory that does not grow with it.
#pragma once

#include <mpi.h>

#include <optional>

#include "pattern/strided_blocks.h"

namespace marshal {

// Collective over `made`, of `size` processes; each gives its own rank in the parent. All get the same result: the
// pattern, or nothing if there is none (or the host failed). See rankmap/collective_detection.h.
std::optional<StridedBlocks> pattern_by_reductions(MPI_Comm made, int size, int own_parent_rank);

}  // namespace marshal
