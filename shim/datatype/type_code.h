// A type tree as numbers: two trees have the same code if and only if they are built alike, node by node.
#ifndef MARSHAL_DATATYPE_TYPE_CODE_H
#define MARSHAL_DATATYPE_TYPE_CODE_H

#include <cstdint>
#include <vector>

#include "datatype/type_tree.h"

namespace marshal::datatype {

std::vector<std::int64_t> encoded(const Type& type);

}  // namespace marshal::datatype

#endif
