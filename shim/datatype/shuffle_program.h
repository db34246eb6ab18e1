// Small repeated layouts as byte permutations of 64-byte vectors: a few instances at a time are loaded, put in order
// and stored, whatever the lengths and the order of their fields.
#pragma once

#include <cstdint>
#include <vector>

#include "datatype/kernels.h"
#include "datatype/layout.h"

namespace marshal::datatype {

struct ByteMove {
  std::int64_t to, from;
};

struct ShuffleProgram {
  std::vector<ShuffleWrite> writes;
  std::vector<ShuffleRead> reads;

  std::int64_t careful_units = 0;
  bool whole_writes = false;

  Shuffle view() const {
    return {writes.data(), reads.data(), static_cast<std::int32_t>(writes.size()), careful_units, whole_writes};
  }
  double cycles() const;  // a rough estimate, one execution
};

// Every `to` is distinct. Units are `to_stride` and `from_stride` bytes apart. If the destination is dense (all of its
// bytes are written, in units that follow each other), whole vectors are written.
ShuffleProgram shuffle_of(std::vector<ByteMove> moves, std::int64_t to_stride, std::int64_t from_stride, bool dense);

// For units of `instances` iterations of a loop; either direction may be missing.
struct ShufflePair {
  std::int64_t pack_instances = 0, unpack_instances = 0;
  ShuffleProgram pack, unpack;
};

// True if a search is worthwhile. It is not if the body is large, or has gaps of a cache line or more: whole vectors
// would fetch the gaps in vain. This quick test may miss gaps.
bool may_shuffle(const Pieces& body, std::int64_t stride);

// The cheapest units for a loop over `body`, `stride` bytes apart, if they cost less than `cycles_per_iteration`.
// Nothing if the body is large, overlaps itself, or has gaps of a cache line or more.
ShufflePair cheapest_shuffle(const Pieces& body, std::int64_t stride, std::int64_t most_instances,
                             double cycles_per_iteration);

}  // namespace marshal::datatype
