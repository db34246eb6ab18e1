// The process's own memory: what lies at an address, and what its allocator has handed out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace marshal {

// At addresses that may be none: those are an answer, and never a crash. A container may forbid one way to read it, or
// lack the other. For one thread.
class OwnMemory {
 public:
  OwnMemory() = default;
  ~OwnMemory();
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

  // How many bytes could be read from there on: fewer than asked for where the memory ends.
  std::size_t read(std::uintptr_t address, std::span<std::byte> into) const;
  // False if not all of the object is there.
  template <class T>
  bool get(std::uintptr_t address, T& value) const {
    return read(address, std::as_writable_bytes(std::span(&value, 1))) == sizeof value;
  }

  // False where this system lets nobody read it.
  bool is_readable() const;

 private:
  mutable int file_ = -1;  // /proc/self/mem, once it was needed
};

// Bytes in use in glibc's heaps, all threads together; a walk over the free lists, so not for frequent calls.
std::uint64_t heap_in_use();

// Why that number means nothing in this process; empty if it does mean something.
const std::string& heap_unavailable();

}  // namespace marshal
