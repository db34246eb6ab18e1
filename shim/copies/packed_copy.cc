#include "copies/packed_copy.h"

#include <atomic>

#include "base/immortal.h"
#include "base/reused_memory.h"

namespace marshal {
namespace {

std::atomic<std::size_t> most{0};

ReusedMemory& copy_pool() {
  static Immortal<ReusedMemory> the(most.load(std::memory_order_relaxed));
  return *the;
}

}  // namespace

void PackedCopy::bound_memory(std::size_t bytes) { most.store(bytes, std::memory_order_relaxed); }
std::size_t PackedCopy::most_memory() { return most.load(std::memory_order_relaxed); }
void PackedCopy::free_unused_memory() { copy_pool().free_unused(); }

PackedCopy::PackedCopy(std::int64_t bytes)
    : data_(static_cast<std::byte*>(copy_pool().take(static_cast<std::size_t>(bytes)))) {}

PackedCopy::~PackedCopy() {
  if (data_ != nullptr) copy_pool().give_back(data_);
}

}  // namespace marshal
