#include "base/process_memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/immortal.h"

namespace marshal {

OwnMemory::~OwnMemory() {
  if (file_ >= 0) close(file_);
}

std::size_t OwnMemory::read(std::uintptr_t address, std::span<std::byte> into) const {
  // By pages: a piece is read as a whole, or not at all.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::size_t done = 0;
  while (done < into.size()) {
    const std::uintptr_t from = address + done;
    const std::size_t piece = std::min<std::size_t>(into.size() - done, page - from % page);
    const iovec here{into.data() + done, piece}, there{reinterpret_cast<void*>(from), piece};
    ssize_t bytes = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (bytes < 0 && errno != EFAULT) {
      if (file_ < 0) file_ = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
      bytes = pread(file_, here.iov_base, piece, static_cast<off_t>(from));
    }
    if (bytes <= 0) break;
    done += static_cast<std::size_t>(bytes);
  }
  return done;
}

bool OwnMemory::is_readable() const {
  const std::byte known{1};
  std::byte found{};
  return get(reinterpret_cast<std::uintptr_t>(&known), found) && found == known;
}

std::uint64_t heap_in_use() {
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

const std::string& heap_unavailable() {
#if __GLIBC_PREREQ(2, 33)
  static const Immortal<std::string> reason([] {
    // Does glibc count an allocation of the malloc in use? The dynamic linker cannot tell whose malloc that is: it may
    // name the executable.
    constexpr std::size_t probe = 1 << 14;
    const std::uint64_t before = heap_in_use();
    void* volatile block = std::malloc(probe);
    const bool seen = heap_in_use() >= before + probe;
    std::free(block);
    return seen ? std::string() : std::string("malloc is not glibc's");
  }());
#else
  static const Immortal<std::string> reason("glibc before 2.33 counts the heap in 32 bits");
#endif
  return *reason;
}

}  // namespace marshal
