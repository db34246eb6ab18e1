// The datatype in which the host sends a packed buffer: two blocks, with a gap before the last element. So the message
// has gaps for the host, as that of the program's datatype has, and takes the same way. Some programs wrongly rely on
// eager sends, and hosts may keep back bytes until the receiver is there where they would not keep back a datatype.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "calls/carrier_types.h"
#include "calls/packed_buffer.h"

namespace marshal::calls {

class Carrier {
 public:
  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  ~Carrier();  // a send that goes on keeps the datatype

  // Packs the buffer, and makes the gap in its copy. False where the host has no datatype for it.
  bool begin(PackedBuffer& packed);

  // The host sends one of these.
  std::byte* data() const { return data_; }
  MPI_Datatype type() const { return carried_by_.type; }

 private:
  std::byte* data_ = nullptr;
  CarrierType carried_by_;
};

}  // namespace marshal::calls
