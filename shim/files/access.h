// One read or write of a buffer with gaps by a contiguous copy.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "copies/gapped_buffer.h"
#include "copies/packed_copy.h"

namespace marshal::files {

struct OpenFile;

// Where in the file a call begins.
enum class Place : std::uint8_t { offset, own_pointer, shared_pointer };

struct AccessKind {
  bool reads, collective;
  Place place;
  bool is_split = false;
};

struct Access {
  AccessKind kind{};
  MPI_File file{};
  OpenFile* opened = nullptr;
  MPI_Offset begin = 0;  // in etypes: the call's offset; where the own pointer stands, if it goes in parts
  GappedBuffer buffer{};
  PackedCopy copy;
  std::int64_t part = 0;  // bytes that go at once

  bool goes_in_parts() const { return part < buffer.bytes; }
};

}  // namespace marshal::files
