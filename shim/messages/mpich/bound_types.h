// The generic types of MPICH in UCX whose messages are the engine's (generic_types.h). MPICH 4.0 forgets to destroy
// some: they end when their context is given to another type. Programs make, use and free types in loops, so objects
// are used again; none is ever given back. Thread safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/linked_table.h"
#include "types/layouts.h"
#include "types/site_history.h"

namespace marshal::generic_types {

// Written before its first message by Marshal's functions, and not again before it is destroyed.
struct Bound {
  std::uint64_t datatype = 0, context_key = 0;  // UCX's, and MPICH's context as a number
  Bound* next_of_context = nullptr;
  void* host_context = nullptr;
  std::shared_ptr<const SharedLayout> layout;
  std::int64_t element = 0;
  bool by_fragments = false;  // the engine moves them, too; if not, the host
  std::shared_ptr<MessageLife> life;
};

class BoundTypes {  // HANDLES: bound types
 public:
  // True if any of them are in use. Takes no lock.
  static bool any() { return in_use_.load(std::memory_order_acquire) != 0; }

  // Throws std::bad_alloc, and nothing has changed then.
  Bound& enter(std::uint64_t datatype, void* host_context);

  // MPICH gives the context to a new type: the one that had it is gone.
  void end_of_context(void* host_context);

  // UCX destroys it. Nothing happens where it has ended already.
  void end(std::uint64_t datatype, const Bound& gone);

 private:
  static inline constinit std::atomic<std::size_t> in_use_{0};  // there is one book of them

  void end(Bound& gone);
  void keep_as_spare(Bound& type);

  std::mutex mutex_;
  LinkedTable<Bound, &Bound::context_key, &Bound::next_of_context> by_context_;
  // Kept for a while: MPICH's own context can be looked at after the type is gone, too.
  std::array<Bound*, 64> ended_{};
  std::size_t ended_count_ = 0;
  Bound* spare_ = nullptr;
};

}  // namespace marshal::generic_types
