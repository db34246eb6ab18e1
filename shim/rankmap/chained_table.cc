#include "rankmap/chained_table.h"

#include "rankmap/scratch_array.h"

namespace marshal {

void ChainedTable::to_parent_ranks(std::span<std::int32_t> indices) const {
  if (worth_reading_all(indices.size(), size())) {
    ScratchArray<std::int32_t> ranks(static_cast<std::size_t>(size()));
    read_parent_ranks(ranks.all());
    for (std::int32_t& index : indices) index = ranks.all()[static_cast<std::size_t>(index)];
  } else {
    for (std::int32_t& index : indices) index = parent_rank(index);
  }
}

}  // namespace marshal
