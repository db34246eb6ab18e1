// Decides whether a buffer with gaps is packed at the call, or left to the host. Processes decide apart: on the wire
// the bytes are the same.
#pragma once

#include "copies/gapped_buffer.h"

namespace marshal::calls {

// With MARSHAL_MESSAGES=calls true for all. Else a trial compares two times on the program's own buffers: the host
// packs one; the engine packs it, and a packed message costs some more. It decides for each layout and class of sizes.
// Buffers that are left to the host count. Thread safe. Throws std::bad_alloc.
bool is_worth_packing(const GappedBuffer& gapped, const ProgramBuffer& buffer, bool receives);

// The ns that a copy saves of a KiB on one side before the type is read: a guess, less than messages by the pipeline
// save (site_history.h). With MARSHAL_MESSAGES=calls each type is worth reading.
float guessed_ns_saved_of_a_kib();

// True if is_worth_packing() would be false without a trial. Counts nothing. Thread safe.
bool is_known_to_be_left(const SharedLayout& layout, std::int64_t bytes, bool receives);

}  // namespace marshal::calls
