// A first look at a buffer of a call, which asks nobody and takes no lock: most buffers stay the host's.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "types/layouts.h"

namespace marshal::calls {

// A buffer of a send or a receive, as far as Marshal knows it.
class FirstLook {
 public:
  FirstLook() = default;  // of no buffer
  FirstLook(MPI_Datatype type, std::int64_t count, bool receives);

  // False if the host gets the buffer as it is. Its count is negative, it has no gaps, or is_worth_packing() has left
  // buffers like it to the host. Or its type was not committed by the program, or cannot be read.
  bool may_be_packed() const { return may_be_packed_; }

  // The buffer has gone to the host as it is.
  void count_as_left() const {
    if (left_ != nullptr) left_->by_host.add_fragment(bytes_, true);
  }

 private:
  bool may_be_packed_ = false;
  MessageAccount* left_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace marshal::calls
