// From a canonical layout to the program that packs it: which kernels, in which order, in segments of what size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datatype/layout.h"
#include "datatype/program.h"
#include "datatype/tuning.h"

namespace marshal::datatype {

// The choices that a caller has when a layout is compiled.
enum class Strategy {
  automatic,  // what the cost model thinks best
  iovec,      // block after block in pack order
  mars,       // every loop over several blocks in segments
};

// Iterations per segment of a loop: automatic, a number of iterations, or as many as pack to so many bytes.
struct Segment {
  enum class Unit : std::uint8_t { automatic, iterations, bytes };
  Unit unit = Unit::automatic;
  std::int64_t value = 0;
};

// The effort of the search. Byte permutations, bins of lengths and orders of fields take tens of microseconds to find,
// so they are for layouts that are packed again and again.
enum class Search {
  quick,    // some ten nanoseconds a block
  of_one,   // everything from which a single instance gains
  of_many,  // and everything from which many instances gain that are packed at once
};

struct CompileOptions {
  Strategy strategy = Strategy::automatic;
  Segment segment;
  std::int64_t segment_bytes = Tuning{}.segment_bytes;     // what an automatic segment may touch
  std::int64_t stream_bytes = Tuning{}.stream_bytes;       // packed messages of so many bytes go past the caches
  bool stages_fragments = Tuning{}.stages_fragments != 0;  // how they get to another core (fragments.h)
  const Kernels* kernels = &best_kernels();
  Search search = Search::of_many;
};

// The instances are `extent` bytes apart.
Program compiled(const Pieces& pieces, std::int64_t extent, const CompileOptions& options = {});

// A program of one step, which packs `size` bytes of each instance; quickly made.
Program program_of_step(Step step, std::int64_t size, std::int64_t extent);

// The kernel for such blocks of `length` bytes, if it is not known which caches they are in.
CopyRows rows_kernel(const Kernels& kernels, const Dim& blocks, std::int64_t length);

// The steps for a list of blocks: by one list of displacements, by a length for each block, or in bins of equal
// lengths.
struct ListSteps {
  std::int64_t size;  // packed bytes of the list
  bool are_draft;     // a thorough search may find better ones
};

// Appends them, a few hundred blocks a step; the list's packed bytes begin at `packed`.
ListSteps append_list_steps(std::vector<Step>& steps, std::span<const Piece> blocks, std::int64_t packed,
                            const CompileOptions& options);

}  // namespace marshal::datatype
