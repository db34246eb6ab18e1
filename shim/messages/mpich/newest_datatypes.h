// UCX's number of the generic datatype that MPICH made last for a type, by the number that MPICH gives the type in its
// handle. A table of fixed size without a lock, in which a newer one may push out an older one.
//
// Valid for live types only: an entry may outlive its type. Two threads that write at the same moment may mix two types
// up, so ask only below MPI_THREAD_MULTIPLE.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/fixed_table.h"

namespace marshal {

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

}  // namespace marshal
