// A buffer of a call, which the host gets packed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "copies/gapped_buffer.h"
#include "copies/packed_copy.h"

namespace marshal::calls {

class PackedBuffer {
 public:
  // False where the host is to get the buffer as it is: find_gapped() says so, there is no memory, or in `auto` the
  // host is as fast. Throws std::bad_alloc.
  bool begin(const ProgramBuffer& buffer);

  // The host gets these.
  std::byte* data() const { return copy_.data(); }
  int elements() const { return gapped_->elements; }
  MPI_Datatype element() const { return gapped_->element; }
  std::int64_t bytes() const { return gapped_->bytes; }
  std::int64_t instance() const { return gapped_->bytes / gapped_->count; }

  // All of it, or the first `bytes` of what came. Never fails.
  void pack();
  void unpack(std::int64_t bytes);

  // The packed bytes of `range` in the program's buffer, to or from `bytes`. Never fails.
  void pack_range(datatype::PackedRange range, std::byte* bytes) const;
  void unpack_range(datatype::PackedRange range, std::byte* bytes) const;

  // The host still reads the copy, and nobody will know until when. Throws std::bad_alloc, and keeps the copy then.
  void abandon();

 private:
  std::optional<GappedBuffer> gapped_;
  PackedCopy copy_;
};

// The ns that a copy saves of a KiB on one side: a guess, less than messages by the pipeline save (site_history.h).
inline constexpr float ns_saved_of_a_kib = 200;

// True if all buffers with gaps are to be packed, even where the host is as fast.
bool takes_all();

}  // namespace marshal::calls
