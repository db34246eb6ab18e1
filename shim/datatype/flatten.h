// From the tree of constructors to the canonical layout.
#pragma once

#include "datatype/layout.h"
#include "datatype/type_tree.h"

namespace marshal::datatype {

// Throws LayoutTooLarge or std::bad_alloc; the caller then leaves the type to the host.
Pieces flattened(const Type& type);

}  // namespace marshal::datatype
