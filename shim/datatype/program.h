// A program packs or unpacks a layout: steps in pack order, compiled once, run many times, by many threads.
//
// A step has the places of its bytes in the instance and in the packed bytes. A loop runs its body in segments of S
// iterations. Within a segment, each step of the body runs for all iterations before the next step runs (the memory
// access rearrangement of MARs, sections VI and VII). S = 1 is the sequential order.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "datatype/kernels.h"
#include "datatype/layout.h"
#include "datatype/position_marks.h"
#include "datatype/shuffle_program.h"

namespace marshal::datatype {

// `count` repetitions, so many bytes apart in the user's memory and in the packed bytes.
struct Dim {
  std::int64_t count, user, packed;
};

struct Step {
  enum class Kind : std::uint8_t { rows, transpose, fields, list, ragged, bins, loop };

  Kind kind = Kind::rows;
  bool repeats_inside = false;  // the repetitions of the enclosing loop are the innermost of `dims`
  std::int64_t user = 0, packed = 0;
  std::int64_t length = 0;  // of each block

  // rows, transpose: dimensions, outermost first. In a transpose, elements along the last dimension follow each other
  // in the packed bytes. In the user's memory they do so along the dimension before, or from one repetition of the
  // enclosing loop to the next.
  static constexpr std::size_t most_dims = 6;
  std::array<Dim, most_dims> dims{};
  std::size_t dim_count = 0;
  CopyRows rows = nullptr;
  Transpose transpose = nullptr;

  // fields
  FieldCopies fields_kernel;
  FieldPlaces field_places{};

  // No offset and no length of a list is greater.
  static constexpr std::int64_t longest_offset = std::numeric_limits<std::int32_t>::max();

  // list, ragged: displacements of blocks that are consecutive when packed.
  Gather gather = nullptr;    // list only
  Scatter scatter = nullptr;  // list only
  std::vector<std::int32_t> offsets;
  std::vector<std::int32_t> lengths;         // ragged only
  std::vector<std::int32_t> packed_offsets;  // where each block begins in the step's packed bytes; ragged, bins
  PositionMarks marks;                       // in packed_offsets; ragged, except first programs

  // bins: blocks of several lengths, in a piece of the packed bytes that caches hold. Blocks of one length are
  // together.
  struct Bin {
    std::int64_t length;
    CopyPairs copy;
    std::size_t first, count;  // in offsets (of the user's memory) and packed_offsets
  };
  std::vector<Bin> bins;

  // loop
  Dim loop{1, 0, 0};
  std::int64_t segment = 1;
  std::vector<Step> body;
  ShufflePair shuffle;  // of several iterations at once, if any; the body does the remainder
};

// For a program that is a single call of one kernel: that call, so that small packs cost little else.
struct DirectRows {
  CopyRows rows = nullptr;  // null if it is not a single call
  std::int64_t user = 0, length = 0;
  Dim outer{1, 0, 0}, inner{1, 0, 0};
  bool instances_inside = false;        // the number of instances is a factor of inner's count, else of outer's
  std::int64_t most_instances[2] = {};  // to pack, to unpack: beyond, byte permutations are better
};

// Byte permutations pay from so many units on: unlike plain loops, they need a setup.
inline constexpr std::int64_t least_shuffled_units = 16;

struct Program {
  std::int64_t size = 0;              // packed bytes of an instance
  std::int64_t extent = 0;            // between instances
  std::int64_t stream_from = 0;       // packed bytes from which on they are written past the caches
  std::int64_t contiguous_up_to = 0;  // so many instances together are one block, beginning at `first`
  std::int64_t first = 0;
  DirectRows direct_once, direct;  // of one instance, of several
  Step instances;                  // a loop over the instances; its count is given with each call
  std::optional<Step> once;        // for a single instance, if that is better
  const Kernels* kernels = nullptr;
  bool transposes = false;                           // so long ranges are moved far faster than short ones
  bool draft_of_one = false, draft_of_many = false;  // a search may find a better one for one instance, for several

  const Step& loop_for(std::int64_t count) const { return count == 1 && once ? *once : instances; }
  bool is_contiguous(std::int64_t count) const { return count <= contiguous_up_to; }
};

void run_pack(const Program& program, std::int64_t count, const std::byte* user, std::byte* packed);
void run_unpack(const Program& program, std::int64_t count, std::byte* user, const std::byte* packed);

// Only the packed bytes of `range`, the first of which stands at `packed`.
void run_pack_range(const Program& program, std::int64_t count, const std::byte* user, std::byte* packed,
                    PackedRange range);
void run_unpack_range(const Program& program, std::int64_t count, std::byte* user, const std::byte* packed,
                      PackedRange range);

}  // namespace marshal::datatype
