// Objects that begin with a cache line, at the price of a plain malloc.
//
// glibc's aligned allocation cuts a chunk out of a larger one and gives the rest back, and freeing puts them together
// again: ten times the work of malloc for what a program makes and frees over and over. Here one line more is
// allocated, and the object moved within it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace marshal {

class OnCacheLine {
 public:
  static void* operator new(std::size_t size, std::align_val_t) {
    void* const block = std::malloc(size + kLine);
    if (block == nullptr) throw std::bad_alloc();
    // malloc's own alignment leaves room for a pointer in front.
    const auto object = (reinterpret_cast<std::uintptr_t>(block) + kLine) & ~(kLine - 1);
    reinterpret_cast<void**>(object)[-1] = block;
    return reinterpret_cast<void*>(object);
  }
  static void operator delete(void* object, std::align_val_t) { std::free(static_cast<void**>(object)[-1]); }

 private:
  static constexpr std::uintptr_t kLine = 64;
};

}  // namespace marshal
