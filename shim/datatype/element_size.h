// The size of a datatype's elements: packed bytes may be cut at its multiples without cutting an element.
#pragma once

#include <cstdint>

#include "datatype/type_tree.h"

namespace marshal::datatype {

// The size of every predefined element in the tree, in bytes; 0 where they differ.
std::int64_t element_size(const Type& type);

}  // namespace marshal::datatype
