// The blocks of one side of the program's call, one for each process: packed bytes of them, and back.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "copies/gapped_buffer.h"

namespace marshal::exchange {

// As the program passes them.
struct Arguments {
  void* user = nullptr;
  bool is_bottom = false;
  bool are_large = false;        // counts are MPI_Count, places MPI_Aint; else both are int
  const void* counts = nullptr;  // null: `count` of each block, one block behind the other
  const void* places = nullptr;  // in extents of `type`, or in bytes where each block has a type
  MPI_Count count = 0;
  MPI_Datatype type{};
  const MPI_Datatype* types = nullptr;  // of each block; null: all have `type`
};

// The bytes of the block of a process; 0 where its type is not certainly one.
std::int64_t bytes_of_block(const Arguments& arguments, int process);

class Blocks {
 public:
  // Before all else; throws std::bad_alloc.
  void reserve(std::size_t processes) { all_.reserve(processes); }

  // False where an argument is not certainly right, or only the host can read or write the memory. Asks the host
  // about types that are certainly some. `by_engine`: not in the host's callbacks. Throws nothing that reserve() has
  // room for.
  bool begin(const Arguments& arguments, int processes, bool by_engine);

  std::int64_t bytes(int process) const { return all_[static_cast<std::size_t>(process)].bytes; }
  // False where the host packs it into another number of bytes.
  bool pack(int process, std::byte* to, MPI_Comm own) const;
  // Returns an MPI error code. `bytes` came for the block. Where that is longer, the host receives them. `own`: a
  // communicator of Marshal's, with a tag that nobody else uses.
  int unpack(int process, const std::byte* from, std::int64_t bytes, MPI_Comm own, int tag) const;

 private:
  struct One {
    std::byte* user;  // of displacement 0
    std::int64_t count, bytes;
    MPI_Datatype type;
    bool is_plain;  // a predefined type without gaps
  };
  // Null where the host packs it.
  std::optional<GappedBuffer> gapped_of(const One& block) const;

  std::vector<One> all_;
  bool by_engine_ = false;
};

}  // namespace marshal::exchange
