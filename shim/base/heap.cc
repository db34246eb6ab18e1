#include "base/heap.h"

#include <malloc.h>

#include <cstdlib>

#include "base/immortal.h"

namespace marshal {

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
