// The layouts that `marshal bench pack` measures: DDTBench's, those of MARs, and the usual shapes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "datatype/flatten.h"
#include "datatype/type_tree.h"
#include "tools/bench_pack/hand_loops.h"

namespace marshal::bench {

struct Layout {
  std::string group;  // ddtbench, paper, struct, vector, indexed, face, transpose, contiguous
  std::string name;
  datatype::Type type;
  std::int64_t count;
  std::function<void(const Copy&)> by_hand;

  std::int64_t bytes() const { return type.size() * count; }
  // What all instances together touch; `pieces` are those of the type.
  datatype::Span touched(const datatype::Pieces& pieces) const;
};

// All of them, each with about so many packed bytes (DDTBench's own proportions are kept).
std::vector<Layout> layouts(std::int64_t bytes);

// Vectors of blocks of 512 B to 32 KiB, half of the memory, in the group `blocks`: where the host copies as fast.
std::vector<Layout> long_blocks(std::int64_t bytes);

}  // namespace marshal::bench
