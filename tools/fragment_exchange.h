// Two threads that send fragments to each other through memory that they share, as two processes of a node do.
#pragma once

#include <optional>

namespace marshal::tools {

// Microseconds of a message there and back, the geometric mean over some datatypes, with fragments that are packed in
// place and staged ones (datatype/fragments.h).
struct FragmentTimes {
  double in_place, staged;
};

// Nothing where this process has a single core.
std::optional<FragmentTimes> measure_fragments();

}  // namespace marshal::tools
