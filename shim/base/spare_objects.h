// Room for a few objects when no other memory is left.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace marshal {

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
