// The process's own memory, at addresses that may be none: those are an answer, and never a crash. A container may
// forbid one way to read it, or lack the other. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace marshal {

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

}  // namespace marshal
