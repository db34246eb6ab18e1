// Counts of what the program read from files and wrote to them, and of what the engine packed first. The room `files`
// counts in this struct itself.
#pragma once

#include <cstdint>

#include "record/fields.h"
#include "record/traffic.h"

namespace marshal::report {

// Buffers with gaps, in pieces.
struct GappedAccesses {
  std::uint64_t calls = 0, bytes = 0, pieces = 0;
  MARSHAL_FIELDS(calls, bytes, pieces);
  void merge(const GappedAccesses& other) { merge_fields(*this, other); }
  auto operator<=>(const GappedAccesses&) const = default;
};

// Sums over the processes.
struct Files {
  std::uint64_t opened = 0;              // a file that several processes open together counts for each
  CallsAndBytes written, read;           // as the program asked
  GappedAccesses packed, left;           // left: with MARSHAL_FILES=off, or without the memory for copies
  std::uint64_t predicted_saved_ns = 0;  // by packing
  MARSHAL_FIELDS(opened, written, read, packed, left, predicted_saved_ns);
  void merge(const Files& other) { merge_fields(*this, other); }
  auto operator<=>(const Files&) const = default;
};

}  // namespace marshal::report
