// A buffer of a call that has gaps, which the engine can make contiguous, and the copy that it packs into.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "datatype/fragments.h"
#include "types/layouts.h"

namespace marshal {

// True if a buffer of the program may be in the memory of a GPU, where only the host may read and write. False where
// the address is certainly in the host's memory: no library for GPUs is in the process, or that library says so, or
// AMD's and Intel's find no GPU that this process could open. Thread safe. Source of the query: NVIDIA, CUDA Driver
// API, cuPointerGetAttribute.
bool may_be_on_device(const void* address);

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

// A contiguous copy of a buffer, for the host: in files and in messages. Their memory is one pool for all threads of
// the process.
class PackedCopy {
 public:
  // In MPI_Init: the bytes of all copies at once, of this process.
  static void bound_memory(std::size_t most);
  static std::size_t most_memory();
  // Gives the memory that no copy uses to the system. Thread safe.
  static void free_unused_memory();

  PackedCopy() = default;
  // Of `bytes`, not initialised. It has no data() where there is no room for them. Thread safe.
  explicit PackedCopy(std::int64_t bytes);
  PackedCopy(PackedCopy&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  PackedCopy& operator=(PackedCopy&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  PackedCopy(const PackedCopy&) = delete;
  PackedCopy& operator=(const PackedCopy&) = delete;
  ~PackedCopy();

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
};

// Moves the packed bytes of `range` between the buffer and its copy, where the first of them stands at `packed`. Bytes
// outside of the range are not touched. Never fails: where memory is short, the bytes are moved block by block.
template <bool unpack>
void move_copy(const datatype::Instances& buffer, std::byte* packed, datatype::PackedRange range) {
  datatype::move_range<unpack>(buffer.plan.settled_program(buffer.count), buffer, packed, range);
}

}  // namespace marshal
