#include "host/host_library.h"

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "host/next_symbol.h"

namespace marshal {
namespace {

struct Pair {
  std::uintptr_t one, other;
  bool are_together = false;  // in one library
};

bool holds(const dl_phdr_info& library, std::uintptr_t address) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto& segment = library.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && address - (library.dlpi_addr + segment.p_vaddr) < segment.p_memsz) return true;
  }
  return false;
}

int look(dl_phdr_info* library, std::size_t, void* data) {
  Pair& pair = *static_cast<Pair*>(data);
  pair.are_together = holds(*library, pair.one) && holds(*library, pair.other);
  return pair.are_together ? 1 : 0;
}

}  // namespace

bool is_in_host_library(const void* address) {
  const void* const init = find_host_symbol("PMPI_Init");
  Pair pair{reinterpret_cast<std::uintptr_t>(init), reinterpret_cast<std::uintptr_t>(address)};
  return init != nullptr && dl_iterate_phdr(look, &pair) != 0;
}

}  // namespace marshal
