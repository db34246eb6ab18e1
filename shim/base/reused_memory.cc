#include "base/reused_memory.h"

#include <bit>
#include <new>
#include <utility>

namespace marshal {

// Stands before the memory that is handed out.
struct alignas(ReusedMemory::alignment) ReusedMemory::Block {
  Block* next;        // of the free ones of its size
  std::size_t bytes;  // this included
};

ReusedMemory::~ReusedMemory() { free_unused(); }

void ReusedMemory::free_unused() {
  const std::lock_guard lock(mutex_);
  for (Block*& first : free_)
    while (first != nullptr) free_one(first);
}

std::size_t ReusedMemory::rounded(std::size_t bytes) {
  const std::size_t eighth = std::bit_floor(bytes) / 8;
  return (bytes + eighth - 1) / eighth * eighth;
}

std::size_t ReusedMemory::number_of(std::size_t rounded) {
  const std::size_t power = std::bit_floor(rounded);
  return 8 * static_cast<std::size_t>(std::countr_zero(power)) + (rounded - power) / (power / 8);
}

void* ReusedMemory::take(std::size_t bytes) {
  if (bytes > most_) return nullptr;
  const std::size_t whole = rounded(bytes + sizeof(Block));
  const std::lock_guard lock(mutex_);
  Block*& first = free_[number_of(whole)];
  Block* const block = first != nullptr ? std::exchange(first, first->next) : make(whole);
  return block != nullptr ? block + 1 : nullptr;
}

void ReusedMemory::give_back(void* memory) {
  Block* const block = static_cast<Block*>(memory) - 1;
  const std::lock_guard lock(mutex_);
  block->next = std::exchange(free_[number_of(block->bytes)], block);
}

// Free blocks of other sizes make room, the longest first.
ReusedMemory::Block* ReusedMemory::make(std::size_t bytes) {
  for (std::size_t i = size_count; i > 0; --i)
    while (free_[i - 1] != nullptr && total_ + bytes > most_) free_one(free_[i - 1]);
  if (total_ + bytes > most_) return nullptr;
  void* const fresh = ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
  if (fresh == nullptr) return nullptr;
  total_ += bytes;
  return new (fresh) Block{nullptr, bytes};
}

void ReusedMemory::free_one(Block*& first) {
  Block* const gone = std::exchange(first, first->next);
  total_ -= gone->bytes;
  ::operator delete (gone, std::align_val_t{alignment});
}

}  // namespace marshal
