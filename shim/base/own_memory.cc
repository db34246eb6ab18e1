#include "base/own_memory.h"

#include <fcntl.h>
#include <unistd.h>

namespace marshal {

OwnMemory::OwnMemory() : file_(open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) {}

OwnMemory::~OwnMemory() {
  if (file_ >= 0) close(file_);
}

std::size_t OwnMemory::read(std::uintptr_t address, std::span<std::byte> into) const {
  if (file_ < 0) return 0;
  const ssize_t bytes = pread(file_, into.data(), into.size(), static_cast<off_t>(address));
  return bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
}

}  // namespace marshal
