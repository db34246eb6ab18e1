// A buffer of a call that has gaps, which the engine can make contiguous.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "datatype/fragments.h"
#include "types/layouts.h"

namespace marshal {

// A buffer as the program passes it. `user`: the address of displacement 0; null for MPI_BOTTOM.
struct ProgramBuffer {
  void* user;
  bool is_bottom;
  std::int64_t count;
  MPI_Datatype type;
};

struct GappedBuffer {
  std::shared_ptr<const SharedLayout> layout;  // so the type may be freed before the call has ended
  std::byte* user;
  std::int64_t count, bytes;  // instances, packed bytes
  // The host gets so many of a predefined type without gaps, whose signature is that of the program's
  // buffer. Where the program's type has elements of several kinds, they are bytes.
  MPI_Datatype element;
  int elements;

  datatype::Instances instances() const { return {layout->plan, count, user, bytes}; }
};

// True if so many instances, at least one, are one block.
inline bool has_no_gaps(const datatype::Plan& plan, std::int64_t count) {
  return count == 1 ? plan.instance_is_one_block() : plan.is_one_block();
}

// Null where the host is to get the buffer as it is: it is contiguous, empty or erroneous, its type is not worth
// reading on this way (yet) or cannot be read, or it may be on a device. For calls of the program, not inside the
// host's callbacks. Throws std::bad_alloc.
std::optional<GappedBuffer> find_gapped(const ProgramBuffer& buffer, Way way);

// The bytes that came or went, as a status says; 0 where it says nothing.
std::int64_t bytes_in(const MPI_Status& status);

}  // namespace marshal
