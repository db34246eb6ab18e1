// The model that a child communicator gets from its parent's model and from the pattern of its ranks in the parent.
// Source: AV-Rankmap section III-C and Table II, with the rows and columns that its text adds (blockstride,
// md-blockstride, and tables indexed by a pattern).
#pragma once

#include <cstdint>

#include "pattern/strided_sequence.h"

namespace marshal {

enum class RankmapModel : std::uint8_t { direct, offset, stride, blockstride, md_blockstride, lut, mlut };

// The model of a formula. If the formula gives ranks in a parent, `direct` is a prefix of these ranks.
RankmapModel regular_model(const StridedBlocks& pattern);

struct ChildModel {
  RankmapModel model;
  // The child reads the parent's table: the starred entries of Table II, and the models that the text names
  // lut-stride … mlut-md-blockstride.
  bool shares_table;
  bool operator==(const ChildModel&) const = default;
};

// `parent` any model; `indirect` a regular model, or lut for an irregular array of parent ranks. An entry of lut or
// mlut is scanned once more before it is believed.
ChildModel child_model(RankmapModel parent, RankmapModel indirect);

}  // namespace marshal
