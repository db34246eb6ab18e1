// The datatype of a packed buffer in a message.
//
// A send has two blocks, with a gap before the last element. So the message has gaps for the host, as that of the
// program's datatype has, and takes the same way. Some programs wrongly rely on eager sends, and hosts may keep back
// bytes until the receiver is there where they would not keep back a datatype.
//
// So has a receive on Open MPI, which writes a message that is too long behind a buffer without gaps. On MPICH a
// receive has the elements without a gap.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "calls/packed_buffer.h"

namespace marshal::calls {

// A datatype of two blocks. The gap is as long as an element. The last element lies behind it, at `bytes`.
struct CarrierType {
  MPI_Datatype type{};
  std::int64_t element = 0;  // bytes
  bool is_kept = false;      // for later messages: not the caller's to free
};

// Hosts move elements of 8 bytes faster than bytes, or slower. Tries which one it is here. In MPI_Init, before a
// message is packed. `comm` returns its errors.
void try_carrier_elements(MPI_Comm comm);

// For so many bytes, at least two. Thread safe. `element` is 0 where the host has no datatype for them.
CarrierType carrier_type(std::int64_t bytes);

// Frees what was kept, and keeps nothing any more. In MPI_Finalize.
void free_carrier_types();

class Carrier {
 public:
  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  ~Carrier();  // a send that goes on keeps the datatype

  // For a send: packs the buffer. For a receive: marks the end of its copy. For MPI_Sendrecv_replace: packs the
  // buffer. False where the host has no datatype for it.
  bool begin_send(PackedBuffer& packed);
  bool begin_receive(PackedBuffer& packed);
  bool begin_replace(PackedBuffer& packed);

  // The host sends or receives these.
  std::byte* data() const { return data_; }
  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

  // Behind the host's call, of what it has received: the copy has no gap any more.
  void close_gap();

 private:
  bool take_blocks(const PackedBuffer& packed);
  void take_elements(const PackedBuffer& packed);
  std::byte* behind() const { return data_ + bytes_; }

  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
  int count_ = 1;
  MPI_Datatype type_{};
  CarrierType blocks_;
};

}  // namespace marshal::calls
