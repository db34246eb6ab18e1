#include "rankmap/nested_table.h"

#include "pattern/evaluate.h"

namespace marshal {

void NestedTable::read_lpids(std::span<std::int32_t> lpids) const { evaluate(pattern_, 0, lpids); }

}  // namespace marshal
