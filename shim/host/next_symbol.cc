#include "host/next_symbol.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

#include "host/presence.h"

// The linker's names for the first byte of this library and for the one after its last.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start, _end;

namespace marshal {
namespace {

// Where the host's symbols were found: RTLD_NEXT, or the handle of the library that called first.
std::atomic<void*> host_scope{RTLD_NEXT};

// Not by dladdr, which walks all symbols of the host's library and is called for each function of it.
bool is_own(const void* address) { return !std::less{}(address, &__ehdr_start) && std::less{}(address, &_end); }

// A handle of the library that holds `address`, without loading anything.
void* scope_of(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || map == nullptr) return nullptr;
  return dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace

void* find_next_symbol(const char* symbol, const void* caller) {
  if (void* found = dlsym(RTLD_NEXT, symbol)) return found;
  void* scope = scope_of(caller);
  if (scope == nullptr) return nullptr;
  void* found = dlsym(scope, symbol);
  if (found == nullptr || is_own(found)) {
    dlclose(scope);
    return nullptr;
  }
  // The first handle is kept: it pins a library that is in use anyway.
  void* expected = RTLD_NEXT;
  if (!host_scope.compare_exchange_strong(expected, scope)) dlclose(scope);
  return found;
}

void* find_host_symbol(const char* symbol) {
  void* found = dlsym(host_scope.load(), symbol);
  return found != nullptr && !is_own(found) ? found : nullptr;
}

void* find_host_object(const char* symbol) {
  void* found = dlsym(RTLD_DEFAULT, symbol);
  return found != nullptr ? found : find_host_symbol(symbol);
}

void* Slot::resolve(const void* caller) {
  void* found = find_next_symbol(symbol_, caller);
  if (found == nullptr) {
    // Only a program that calls what its own MPI does not have gets here.
    std::fprintf(stderr, "marshal: symbol lookup error: undefined symbol: %s (no MPI library behind Marshal has it)\n",
                 symbol_);
    _exit(127);
  }
  meet_host();
  next_.store(found, std::memory_order_release);
  return found;
}

}  // namespace marshal
