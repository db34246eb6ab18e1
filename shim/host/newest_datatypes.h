// UCX's number of the generic datatype that MPICH made last for a context, which is MPICH's own record of the type. A
// table of fixed size without a lock, in which a newer one may push out an older one.
//
// For a context whose type lives: what is left of types that are gone is not told apart. Two threads that write in the
// same moment may mix two up, so it is only asked while one thread at a time is in MPI.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace marshal {

class NewestDatatypes {
 public:
  void note(const void* context, std::uint64_t datatype) {
    Made& made = made_[place_of(context)];
    made.context.store(context, std::memory_order_relaxed);
    made.datatype.store(datatype, std::memory_order_relaxed);
  }

  // 0 where it is unknown.
  std::uint64_t of(const void* context) const {
    const Made& made = made_[place_of(context)];
    return made.context.load(std::memory_order_relaxed) == context ? made.datatype.load(std::memory_order_relaxed) : 0;
  }

 private:
  static constexpr std::size_t count = 1024;
  static std::size_t place_of(const void* context) {
    const auto at = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(context));
    return static_cast<std::size_t>((at * 0x9E3779B97F4A7C15ULL) >> (64 - 10));
  }

  struct Made {
    std::atomic<const void*> context{nullptr};
    std::atomic<std::uint64_t> datatype{0};
  };
  std::array<Made, count> made_;
};

}  // namespace marshal
