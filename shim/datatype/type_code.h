// A type tree as numbers: two trees have the same code if and only if they are built alike, node by node.
#pragma once

#include <cstdint>
#include <vector>

#include "datatype/type_tree.h"

namespace marshal::datatype {

std::vector<std::int64_t> encoded(const Type& type);

}  // namespace marshal::datatype
