// A contiguous copy of a buffer, for the host: in files and in messages. Their memory is one pool for all threads of
// the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "datatype/fragments.h"

namespace marshal {

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
