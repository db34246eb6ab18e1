// Lets a test run out of memory. It defines the program's operator new: include it in one file of a test alone.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

inline bool out_of_memory = false;  // then operator new throws std::bad_alloc

void* operator new(std::size_t size) {
  void* const block = out_of_memory ? nullptr : std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
