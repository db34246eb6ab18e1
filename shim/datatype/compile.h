// From a canonical layout to the program that packs it: which kernels, in which order, in segments of what size.
#pragma once

#include <cstdint>

#include "datatype/compile_options.h"
#include "datatype/layout.h"
#include "datatype/program.h"

namespace marshal::datatype {

// The instances are `extent` bytes apart.
Program compiled(const Pieces& pieces, std::int64_t extent, const CompileOptions& options = {});

// A program of one step, which packs `size` bytes of each instance; quickly made.
Program program_of_step(Step step, std::int64_t size, std::int64_t extent);

// The kernel for such blocks of `length` bytes, if it is not known which caches they are in.
CopyRows rows_kernel(const Kernels& kernels, const Dim& blocks, std::int64_t length);

}  // namespace marshal::datatype
