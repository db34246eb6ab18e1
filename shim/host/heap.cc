#include "host/heap.h"

#include <dlfcn.h>
#include <malloc.h>

#include <string_view>

namespace marshal {

std::uint64_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

const std::string& heap_unavailable() {
  static const std::string reason = [] {
    Dl_info info;
    void* const allocator = dlsym(RTLD_DEFAULT, "malloc");
    if (allocator == nullptr || !dladdr(allocator, &info) || info.dli_fname == nullptr)
      return std::string("malloc cannot be found");
    const std::string_view library = info.dli_fname;
    if (library.find("libc.so") != std::string_view::npos || library.find("libc-") != std::string_view::npos)
      return std::string();
    return "malloc is " + std::string(library.substr(library.rfind('/') + 1)) + "'s";
  }();
  return reason;
}

}  // namespace marshal
