// Lists of blocks in which nothing repeats: particles, elements of a mesh. Looking for loops in them takes far longer
// than copying them, and only finds loops that arose by chance.
#pragma once

#include "datatype/layout.h"

namespace marshal::datatype {

// True for a list of blocks without loops that does not repeat itself: stretches from eight places occur only once.
// Depends on lengths and distances only. False for lists that are short anyway.
bool is_irregular_list(const Pieces& sequence);

}  // namespace marshal::datatype
