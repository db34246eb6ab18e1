// Where fragments end that a receiver without Marshal can take: between elements. No MPI.
#pragma once

#include <cstdint>

#include "types/layouts.h"

namespace marshal {

// True if every fragment that UCX may ask for can end between elements. The host's own receivers cannot take a part of
// one. `element`: bytes of each, 0 where they differ.
bool can_be_cut(const SharedLayout& layout, std::int64_t element);

// Where a fragment that begins at packed byte `from`, and has room until `to`, ends at best: between elements.
std::int64_t fragment_end(const SharedLayout& layout, std::int64_t element, std::int64_t from, std::int64_t to,
                          std::int64_t size);

}  // namespace marshal
