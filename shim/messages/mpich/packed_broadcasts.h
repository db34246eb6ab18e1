// MPI_Bcast of derived datatypes on MPICH. It packs them by functions of its own, before UCX sees them, and sends
// bytes. So the engine packs them, MPICH broadcasts the bytes, and the engine unpacks them; one long block stays where
// it is. MPICH chooses its algorithm by the number of bytes, not by the type, so a process whose type stays the host's
// takes part as before; where settings of MPICH may change that, all broadcasts are the host's.
//
// All processes must run under Marshal. From a root to the first process of its node, MPICH sends the datatype itself.
// There MPICH 4.0 takes no bytes that are cut inside an element (cut_receives.h). Only one thread at a time may be in
// MPI, so that a handle tells its type.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "messages/mpich/generic_types.h"

namespace marshal::broadcasts {

// In MPI_Init, where the engine is on in all processes of the job, and in MPI_Finalize.
void begin();
void end();

namespace detail {
inline std::atomic<bool> on{false};
}
inline bool are_packed() { return detail::on.load(std::memory_order_relaxed); }

// True if broadcasts of the type may be packed. Ask only if are_packed().
inline bool may_be_packed(MPI_Datatype type) {
  const std::uint64_t key = key_of(type);
  return books::find_type(key).is_known() && generic_types::may_move(key);
}

// One call, on this process.
class Broadcast {
 public:
  Broadcast() = default;
  ~Broadcast();
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;

  // False if the host has to do it. Call it for a type that may_be_packed(). It takes all memory that is needed, and
  // asks no other process. Throws std::bad_alloc.
  bool begin(void* user, std::int64_t count, MPI_Datatype type, int root, MPI_Comm communicator);

  // MPI's error code.
  int run();

 private:
  template <bool unpack>
  void move();

  generic_types::MovedType type_;
  std::byte* user_ = nullptr;
  std::byte* packed_ = nullptr;
  std::int64_t count_ = 0, bytes_ = 0;
  int root_ = 0;
  bool is_root_ = false, is_in_place_ = false;
  MPI_Comm communicator_{};
  alignas(64) std::byte small_[4096];  // not initialised
};

}  // namespace marshal::broadcasts
