// The generic types of MPICH in UCX whose messages are the engine's (generic_types.h). MPICH 4.0 forgets to destroy
// some: they end when their context is given to another type. Thread safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/entries_in_use.h"
#include "base/fixed_table.h"
#include "base/registry.h"
#include "types/layouts.h"
#include "types/site_history.h"

namespace marshal::generic_types {

// Written before its first message by Marshal's functions, and not again.
struct Bound {
  std::uint64_t datatype;  // UCX's number
  void* host_context;      // MPICH's
  std::shared_ptr<const SharedLayout> layout{};
  std::int64_t element = 0;
  bool by_fragments = false;  // the engine moves them, too; if not, the host
  std::shared_ptr<MessageLife> life{};
  mutable const Bound* left_before = nullptr;  // EntriesInUse
};

class BoundTypes {  // HANDLES: bound types
 public:
  // True if any of them are in use. Takes no lock.
  static bool any() { return in_use_.load(std::memory_order_acquire) != 0; }

  // Throws std::bad_alloc, and nothing has changed then.
  Bound& enter(std::uint64_t datatype, void* host_context);

  // UCX destroys the type of this context, or MPICH gives the context to another one. `hand_back` gets it once it is
  // off the book: nothing may lead to it behind that. UCX's number of the type that has ended; 0 where there was none.
  using HandBack = void(const Bound& ended);
  std::uint64_t end(const void* host_context, HandBack* hand_back = nullptr);

  // The type of a message that begins: it has not ended yet. It stays until this thread asks for another one.
  static const Bound& use(const void* type);

 private:
  static void leave(std::unique_ptr<Bound> gone);

  Registry<Bound> by_context_;
  // There is one book of them.
  static inline constinit std::atomic<std::size_t> in_use_{0};
  static inline constinit EntriesInUse<Bound, 1> left_;
};

// UCX's number of the generic datatype that MPICH made last for a type, by the number that MPICH gives the type in its
// handle. A table of fixed size without a lock, in which a newer one may push out an older one.
//
// Valid for live types only: an entry may outlive its type. Two threads that write at the same moment may mix two types
// up, so ask only below MPI_THREAD_MULTIPLE.
class NewestDatatypes {  // HANDLES: newest generic datatypes
 public:
  void note(std::uint32_t type, std::uint64_t datatype) {
    Newest& newest = newest_.home(type);
    newest.type.store(type, std::memory_order_relaxed);
    newest.datatype.store(datatype, std::memory_order_relaxed);
  }

  // 0 where it is unknown.
  std::uint64_t of(std::uint32_t type) const {
    const Newest& newest = newest_.home(type);
    return newest.type.load(std::memory_order_relaxed) == type ? newest.datatype.load(std::memory_order_relaxed) : 0;
  }

  // It is destroyed.
  void forget(std::uint32_t type, std::uint64_t datatype) {
    Newest& newest = newest_.home(type);
    if (newest.type.load(std::memory_order_relaxed) == type &&
        newest.datatype.load(std::memory_order_relaxed) == datatype)
      newest.datatype.store(0, std::memory_order_relaxed);
  }

 private:
  struct Newest {
    std::atomic<std::uint64_t> datatype{0};
    std::atomic<std::uint32_t> type{0};
  };
  FixedTable<Newest, 1024> newest_;
};

}  // namespace marshal::generic_types
