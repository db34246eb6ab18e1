// Sends of packed buffers that wait where the host's own send of the datatype would wait, and nowhere else.
#pragma once

#include <mpi.h>

#include <utility>

#include "calls/carrier.h"
#include "calls/eager_bytes.h"
#include "calls/packed_buffer.h"
#include "copies/extended_requests.h"

namespace marshal::calls {

struct Destination {
  int rank, tag;
  MPI_Comm communicator;
};

// True if neither rank nor tag is too large for any host.
bool is_within_limits(const Destination& peer);

// What the host gets of a packed buffer.
class PackedSend {
 public:
  // Both pack the buffer. False where the host has no datatype for it.
  // For a send that waits for the receiver in any case, or in none.
  bool begin_as_bytes(PackedBuffer& packed);
  // For all others. Only one that `may_be_watched` may be.
  bool begin(PackedBuffer& packed, const Destination& to, bool may_be_watched);

  const void* data() const { return data_; }
  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

  // True if the program must not wait for its end. The caller tests it right after its start, and calls note().
  bool is_watched() const { return way_ == EagerBytes::Way::watched_bytes; }
  void note(bool has_gone) const { peers_->note(bytes_, has_gone); }

  // MPI_Send of one that is watched. Where it has not gone, later calls of the program finish it (left_requests.h), and
  // `packed` is theirs. Returns the host's code.
  int send_watched(PackedBuffer& packed, const Destination& to) const;

 private:
  EagerBytes* peers_ = nullptr;
  EagerBytes::Way way_ = EagerBytes::Way::bytes;
  std::int64_t bytes_ = 0;
  Carrier carrier_;
  const void* data_ = nullptr;
  int count_ = 0;
  MPI_Datatype type_{};
};

// The memory of the copy is given back with it.
class SentBuffer final : public Completion {
 public:
  SentBuffer() = default;
  explicit SentBuffer(PackedBuffer&& sent) : packed(std::move(sent)) {}
  PackedBuffer packed;
  int ended(MPI_Status&, bool) noexcept override { return MPI_SUCCESS; }
};

// True if the request has ended. Not of one that has failed: then the host is to be asked again.
bool has_ended(MPI_Request request);

}  // namespace marshal::calls
