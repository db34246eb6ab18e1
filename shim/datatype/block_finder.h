// Finds the block that a packed byte of an instance belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "datatype/layout.h"
#include "datatype/position_marks.h"

namespace marshal::datatype {

struct PackedBlock {
  std::int64_t begin, length;  // in packed bytes
};

class BlockFinder {
 public:
  explicit BlockFinder(const Pieces& pieces);  // which it refers to

  // `offset` lies in [0, size of an instance).
  PackedBlock find(std::int64_t offset) const;

 private:
  const Pieces& pieces_;
  std::vector<std::int64_t> begins_;  // of the pieces
  PositionMarks marks_;
};

}  // namespace marshal::datatype
