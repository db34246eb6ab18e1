// Programs that are made at once from the numbers of a constructor, in a few nanoseconds a block, for types that live
// briefly: without a canonical form, without a search, and known to their own type only. Such a type is a row or a list
// of blocks of one predefined type without gaps, each block behind the one before. Hosts pack such types as the
// standard says, and a search finds little better. All others need a plan (plan.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "datatype/program.h"

namespace marshal::datatype {

struct FirstProgram {
  Program program;
  Span touched;  // by an instance
};

// `count` blocks of `length` bytes, `stride` bytes apart, the first at displacement 0. Null where the blocks are not
// apart, or none has data. May be out of memory, as the next function.
std::unique_ptr<const FirstProgram> first_program_of_rows(std::int64_t count, std::int64_t length, std::int64_t stride,
                                                          std::int64_t extent);

// Blocks at displacements counted in `unit` bytes, with lengths counted in elements of `element` bytes; a single length
// is that of all blocks.
struct ListedBlocks {
  std::span<const std::int64_t> displacements, lengths;
  std::int64_t unit, element;
};
// Null where a block has no data, begins before the end of the one before, or is too far away for 32 bits.
std::unique_ptr<const FirstProgram> first_program_of_list(const ListedBlocks& blocks, std::int64_t extent);

}  // namespace marshal::datatype
