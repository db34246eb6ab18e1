// Counts of what the program read and wrote, for the report. Threads add without a lock: two threads at the same moment
// may count two calls as one.
#pragma once

#include <cstdint>

#include "base/relaxed.h"

namespace marshal::files {

struct AccessCount {
  Relaxed<std::uint64_t> calls, bytes;

  void add(std::int64_t more) {
    calls += 1;
    bytes += static_cast<std::uint64_t>(more);
  }
};

struct GappedCount : AccessCount {
  Relaxed<std::uint64_t> pieces;
};

struct FileCounts {
  Relaxed<std::uint64_t> opened;
  AccessCount written, read;  // as the program asked
  GappedCount packed, left;   // left: what would have been packed, with MARSHAL_FILES=off or without the memory for it
  Relaxed<std::uint64_t> predicted_saved_ns;
};

inline constinit FileCounts counts;

}  // namespace marshal::files
