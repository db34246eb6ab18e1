// Small repeated layouts as byte permutations of 64-byte vectors: a few instances at a time are loaded, put in order
// and stored, whatever the lengths and the order of their fields.
#ifndef MARSHAL_DATATYPE_SHUFFLE_PROGRAM_H
#define MARSHAL_DATATYPE_SHUFFLE_PROGRAM_H

#include <cstdint>
#include <optional>
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

  Shuffle view() const { return {writes.data(), reads.data(), static_cast<std::int32_t>(writes.size())}; }
  double cycles() const;  // a rough estimate, one execution
};

// Every `to` is distinct.
ShuffleProgram shuffle_of(std::vector<ByteMove> moves);

// Both directions for units of `instances` iterations of a loop.
struct ShufflePair {
  std::int64_t instances;
  ShuffleProgram pack, unpack;
};

// The cheapest unit for a loop over `body`, `stride` bytes apart, if it costs less than `cycles_per_iteration`;
// nothing if the body is too large or overlaps itself.
std::optional<ShufflePair> cheapest_shuffle(const Pieces& body, std::int64_t stride, std::int64_t most_instances,
                                            double cycles_per_iteration);

}  // namespace marshal::datatype

#endif
