// Objects that begin at a cache line, at the price of a plain malloc.
//
// glibc's aligned allocation cuts a chunk out of a larger one and returns the rest; freeing joins them again. For an
// object that is made and freed over and over, this takes ten times as long as malloc. This heap allocates one more
// cache line and places the object within the block.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace marshal {

class OnCacheLine {
 public:
  static void* operator new(std::size_t size, std::align_val_t) {
    void* const block = std::malloc(size + cache_line);
    if (block == nullptr) throw std::bad_alloc();
    // malloc's own alignment leaves room for a pointer in front.
    const auto object = (reinterpret_cast<std::uintptr_t>(block) + cache_line) & ~(cache_line - 1);
    reinterpret_cast<void**>(object)[-1] = block;
    return reinterpret_cast<void*>(object);
  }
  static void operator delete(void* object, std::align_val_t) { std::free(static_cast<void**>(object)[-1]); }

 private:
  static constexpr std::uintptr_t cache_line = 64;
};

// Room for a few objects when no other memory is left.

// For 64 objects of type T, in static storage. Thread safe, lock free.
template <class T>
class SpareObjects {
 public:
  constexpr SpareObjects() = default;
  // Room for one, or null when all are taken.
  void* take() noexcept {
    std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    while (~taken != 0) {
      const int place = std::countr_one(taken);
      if (taken_.compare_exchange_weak(taken, taken | std::uint64_t{1} << place, std::memory_order_acquire))
        return room_ + static_cast<std::size_t>(place) * sizeof(T);
    }
    return nullptr;
  }

  // Takes it back; false if it is not from here.
  bool give_back(void* object) noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(object) - reinterpret_cast<std::uintptr_t>(room_);
    if (offset >= sizeof room_) return false;
    taken_.fetch_and(~(std::uint64_t{1} << offset / sizeof(T)), std::memory_order_release);
    return true;
  }

 private:
  alignas(T) std::byte room_[64 * sizeof(T)]{};
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace marshal
