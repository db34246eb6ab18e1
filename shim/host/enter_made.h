// Entering what a call made on the books.
#pragma once

#include <utility>

#include "base/attempt.h"
#include "host/communicators.h"

namespace marshal {

// Runs `enter`, which enters the new communicator with its map. Where that ends for want of memory, the communicator
// is entered without one.
template <class Enter>
void enter_made(MPI_Comm handle, Enter&& enter) {
  if (!attempt(std::forward<Enter>(enter))) books::enter_without_map(handle);
}

}  // namespace marshal
