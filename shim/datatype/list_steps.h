// The steps for a list of blocks: by one list of displacements, by a length for each block, or in bins of equal
// lengths.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datatype/compile_options.h"
#include "datatype/layout.h"
#include "datatype/program.h"

namespace marshal::datatype {

struct ListSteps {
  std::int64_t size;  // packed bytes of the list
  bool are_draft;     // a thorough search may find better ones
};

// Appends them, a few hundred blocks a step; the list's packed bytes begin at `packed`.
ListSteps append_list_steps(std::vector<Step>& steps, std::span<const Piece> blocks, std::int64_t packed,
                            const CompileOptions& options);

}  // namespace marshal::datatype
