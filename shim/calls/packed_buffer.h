// A buffer of a call, which the host gets packed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "copies/gapped_buffer.h"

namespace marshal::calls {

class PackedBuffer {
 public:
  // Bytes of the copy behind the packed ones: for the last element of a message (carrier.h).
  static constexpr std::int64_t room_behind = 8;

  // For a send or a receive. False where the host is to get the buffer as it is: find_gapped() or
  // worth_packing.h says so, or there is no memory. Throws std::bad_alloc.
  bool begin(const ProgramBuffer& buffer, bool receives);

  // The host gets these.
  std::byte* data() const { return copy_.data(); }
  int elements() const { return gapped_->elements; }
  MPI_Datatype element() const { return gapped_->element; }
  std::int64_t bytes() const { return gapped_->bytes; }
  std::int64_t instance() const { return gapped_->bytes / gapped_->count; }

  // True if the type has the layout of the buffer's now.
  bool is_of(MPI_Datatype type) const;

  // All of it, or the first `bytes` of what came. Never fails.
  void pack();
  void unpack(std::int64_t bytes);
  // Before the host receives into it. Behind a receive that failed, what came stays with the program, where it came up
  // to the end. Without the first call, the copy has what the program's buffer has.
  void mark_end();
  void unpack_after_error();
  // Behind unpack(), of a receive whose type is_of() the buffer: a trial that is due.
  void learn(MPI_Datatype type, std::int64_t bytes) noexcept;

  // The packed bytes of `range` in the program's buffer, to or from `bytes`. Never fails.
  void pack_range(datatype::PackedRange range, std::byte* bytes) const;
  void unpack_range(datatype::PackedRange range, std::byte* bytes) const;

 private:
  std::optional<GappedBuffer> gapped_;
  PackedCopy copy_;
  bool is_trial_due_ = false, is_end_marked_ = false;
};

}  // namespace marshal::calls
