// An array for the time of one call: on the stack when it is small.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace marshal {

template <class T, std::size_t few = 512>
class ScratchArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  ScratchArray() {}
  explicit ScratchArray(std::size_t size) { make(size); }
  ScratchArray(const ScratchArray&) = delete;
  ScratchArray& operator=(const ScratchArray&) = delete;

  // `size` elements, not initialised. Earlier elements are gone.
  std::span<T> make(std::size_t size) {
    if (size > few) many_.reset(new T[size]);
    size_ = size;
    return all();
  }
  std::span<T> all() { return {size_ > few ? many_.get() : few_.data(), size_}; }

 private:
  std::array<T, few> few_;
  std::unique_ptr<T[]> many_;
  std::size_t size_ = 0;
};

}  // namespace marshal
