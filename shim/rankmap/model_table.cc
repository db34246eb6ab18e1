#include "rankmap/model_table.h"

namespace marshal {

RankmapModel regular_model(const StridedBlocks& pattern) {
  if (pattern.is_identity()) return RankmapModel::direct;
  if (pattern.is_contiguous()) return RankmapModel::offset;
  if (pattern.is_linear()) return RankmapModel::stride;
  return pattern.digit_count() == 2 && pattern.digit(0).stride == 1 ? RankmapModel::blockstride
                                                                    : RankmapModel::md_blockstride;
}

ChildModel child_model(RankmapModel parent, RankmapModel indirect) {
  using enum RankmapModel;
  switch (parent) {
    case direct:
      return {indirect, false};
    case offset:
      return {indirect == direct ? offset : indirect, false};
    case stride:
    case blockstride:
    case md_blockstride:
      return {indirect == direct ? parent : lut, false};
    case lut:
    case mlut:
      return {parent, indirect != lut};
    default:
      return {lut, false};
  }
}

}  // namespace marshal
