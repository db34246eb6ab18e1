// Lists of blocks in which nothing is repeated: particles, elements of a mesh. To look for loops in them takes far
// longer than to copy them, and finds those that chance made.
#pragma once

#include "datatype/layout.h"

namespace marshal::datatype {

// True for a list of blocks without loops that does not repeat itself: stretches from eight places occur only once.
// Depends on lengths and distances only. False for lists that are short anyway.
bool is_irregular_list(const Pieces& sequence);

}  // namespace marshal::datatype
