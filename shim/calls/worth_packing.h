// Decides whether a buffer with gaps is packed at the call, or left to the host. Processes decide apart: on the wire
// the bytes are the same.
#pragma once

#include "copies/gapped_buffer.h"

namespace marshal::calls {

// A trial compares two times on the program's own buffers: the host packs one; the engine packs it, and a packed
// message costs some more. It decides for each layout, class of sizes and direction. With MARSHAL_MESSAGES=calls
// there is none, and all buffers are packed.

// Of a buffer to send. Buffers that are left to the host count. Thread safe. Throws std::bad_alloc.
bool is_worth_packing(const GappedBuffer& gapped, const ProgramBuffer& buffer);

// The same of one to receive. A trial takes place once the message is there: until then the buffer may have less memory
// than its type says. `is_due`: learn_from_received() is to be called.
bool is_worth_receiving_packed(const GappedBuffer& gapped, const ProgramBuffer& buffer, bool& is_due);
// `instances`: how many came.
void learn_from_received(const GappedBuffer& gapped, MPI_Datatype type, std::int64_t instances);

// True if buffers like it are left to the host, and no trial is due. Counts nothing. Thread safe.
bool is_known_to_be_left(const SharedLayout& layout, std::int64_t bytes, bool receives);

}  // namespace marshal::calls
