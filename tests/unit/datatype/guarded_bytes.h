// Memory whose pages on both sides cannot be touched: a byte read or written outside is a crash.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>

namespace marshal::datatype::testing {

enum class Against { low_guard, high_guard };

class GuardedBytes {
 public:
  // `size` bytes that begin right after the lower guard, or end right before the upper one.
  GuardedBytes(std::size_t size, Against against) : size_(size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inside = (size + page - 1) / page * page + page;
    mapped_ = inside + 2 * page;
    void* all = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::byte*>(all);
    if (mprotect(base_ + page, inside, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = against == Against::low_guard ? base_ + page : base_ + page + inside - size;
  }
  ~GuardedBytes() { munmap(base_, mapped_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  std::byte* data() { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_, mapped_;
  std::byte *base_, *data_;
};

}  // namespace marshal::datatype::testing
