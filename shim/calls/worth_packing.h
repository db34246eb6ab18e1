// Decides whether a buffer with gaps is packed at the call, or left to the host. Processes decide apart: on the wire
// the bytes are the same.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "copies/gapped_buffer.h"
#include "types/layouts.h"

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

// A first look at a buffer of a send or a receive, which asks nobody and takes no lock: most buffers stay the host's.
class FirstLook {
 public:
  FirstLook() = default;  // of no buffer
  FirstLook(MPI_Datatype type, std::int64_t count, bool receives);

  // False if the host gets the buffer as it is. Its count is negative, it has no gaps, or is_worth_packing() has left
  // buffers like it to the host. Or its type was not committed by the program, or cannot be read.
  bool may_be_packed() const { return may_be_packed_; }

  // The buffer has gone to the host as it is.
  void count_as_left() const {
    if (left_ != nullptr) left_->by_host.add_fragment(bytes_, true);
  }

 private:
  bool may_be_packed_ = false;
  MessageAccount* left_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace marshal::calls
