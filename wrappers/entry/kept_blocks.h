// Memory that the host may read until a request of the program has ended: the arrays of a call with large numbers
// (narrowed_call.h). A persistent request ends when it is freed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/relaxed.h"
#include "wrappers/entry/row.h"

namespace marshal {

// True once there was one. Entry points ask it.
inline constinit Relaxed<bool> any_kept_blocks;

// `block` is freed with std::free. Thread safe.
void keep_block(MPI_Request request, void* block) noexcept;
// The request is about to be freed.
void free_block_of(MPI_Request request) noexcept;

struct KeptBlock;

// The blocks of requests that a call of the program may end. They are taken out before the call, since another thread
// may get a handle again at once. Afterwards the blocks of requests that have not ended go back.
class EndingBlocks {
 public:
  // `array`: the requests as C or Fortran has them, `length` of them.
  EndingBlocks(Binding binding, Word array, std::int64_t length) noexcept;
  ~EndingBlocks();
  EndingBlocks(const EndingBlocks&) = delete;
  EndingBlocks& operator=(const EndingBlocks&) = delete;

 private:
  struct Taken {
    std::int64_t at;
    MPI_Request request;
    std::unique_ptr<KeptBlock> block;
  };
  const Binding binding_;
  const Word array_;
  std::vector<Taken> taken_;
};

}  // namespace marshal
