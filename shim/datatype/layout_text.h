// A layout in words, for people: "64 x 8 B every 128 B".
#pragma once

#include <cstddef>
#include <string>

#include "datatype/layout.h"
#include "datatype/program.h"

namespace marshal::datatype {

// At most so many pieces are written out, the rest is counted.
std::string layout_text(const Pieces& pieces, std::size_t most_pieces_told = 4);

// Describes a program in a few words: "rows of 8 B, avx512".
std::string program_text(const Program& program, std::int64_t count);

// Iterations of the outermost loop that is run in segments; 0 where there is none.
std::int64_t segment_of(const Program& program, std::int64_t count);

}  // namespace marshal::datatype
