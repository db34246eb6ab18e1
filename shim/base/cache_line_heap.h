// Objects that begin at a cache line, at the price of a plain malloc.
//
// glibc's aligned allocation cuts a chunk out of a larger one and returns the rest; freeing joins them again. For an
// object that is made and freed over and over, this takes ten times as long as malloc. This heap allocates one more
// cache line and places the object within the block.
#pragma once

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

}  // namespace marshal
