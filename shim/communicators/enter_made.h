// Enters a new communicator in the books.
#pragma once

#include <utility>

#include "base/attempt.h"
#include "communicators/communicators.h"

namespace marshal {

// Runs `enter`, which enters the new communicator with its map. If memory runs out, the communicator is entered without
// a map.
template <class Enter>
void enter_made(MPI_Comm handle, Enter&& enter) {
  if (!attempt(std::forward<Enter>(enter))) books::enter_without_map(handle);
}

}  // namespace marshal
