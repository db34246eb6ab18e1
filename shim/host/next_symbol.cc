#include "host/next_symbol.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>

// The linker's names for the first byte of this library and for the one after its last.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start, _end;

namespace marshal {
namespace {

// Where the host's symbols were found: the handle of the library that called first; null for RTLD_NEXT.
constinit std::atomic<void*> host_scope{nullptr};

// Not by dladdr: it walks all symbols of the host's library, and this is called for each of its functions.
bool is_own(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= reinterpret_cast<std::uintptr_t>(&__ehdr_start) && at < reinterpret_cast<std::uintptr_t>(&_end);
}

// A handle of the library that holds `address`, without loading anything.
void* scope_of(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || map == nullptr) return nullptr;
  return dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

// A tool that stands in front of Marshal sees its own functions first.
bool is_behind_this(const char* symbol, const void* found) {
  return found != nullptr && !is_own(found) && found != dlsym(RTLD_DEFAULT, symbol);
}

// The symbol that the library of `caller` sees behind this one, or null. If it is found, `scope` is the handle by which
// it was looked up, still open.
void* find_in_scope_of(const char* symbol, const void* caller, void*& scope) {
  scope = scope_of(caller);
  if (scope == nullptr) return nullptr;
  void* found = dlsym(scope, symbol);
  if (is_behind_this(symbol, found)) return found;
  dlclose(scope);
  return nullptr;
}

void* behind_caller(const char* symbol, const void* caller) {
  void* scope = nullptr;
  void* const found = find_in_scope_of(symbol, caller, scope);
  if (found == nullptr) return nullptr;
  // The first handle is kept: it pins a library that is in use anyway.
  void* expected = nullptr;
  if (!host_scope.compare_exchange_strong(expected, scope)) dlclose(scope);
  return found;
}

void* of_host_behind_this(const char* symbol) {
  void* const scope = host_scope.load();
  void* found = dlsym(scope != nullptr ? scope : RTLD_NEXT, symbol);
  return found != nullptr && !is_own(found) ? found : nullptr;
}

// If nothing is found, the caller stands in a library that is not linked to MPI and made a tail call: so does mpi4py's
// MPI_Finalize when python ends. The host is known by then.
void* next_behind_this(const char* symbol, const void* caller) {
  if (void* found = dlsym(RTLD_NEXT, symbol)) return found;
  if (void* found = behind_caller(symbol, caller)) return found;
  return of_host_behind_this(symbol);
}

// Other libraries than the host's callers may ask, too, so no scope is kept.
void* next_for_anybody(const char* symbol, const void* caller) {
  if (void* found = dlsym(RTLD_NEXT, symbol)) return found;
  void* scope = nullptr;
  if (void* found = find_in_scope_of(symbol, caller, scope)) {
    dlclose(scope);
    return found;
  }
  return of_host_behind_this(symbol);
}

void* object_behind_this(const char* symbol) {
  void* found = dlsym(RTLD_DEFAULT, symbol);
  return found != nullptr ? found : of_host_behind_this(symbol);
}

constinit SymbolFinder finder{next_behind_this, next_for_anybody, of_host_behind_this, object_behind_this};

}  // namespace

void* find_next_symbol(const char* symbol, const void* caller) { return finder.next(symbol, caller); }
void* find_symbol_behind(const char* symbol, const void* caller) { return finder.behind(symbol, caller); }
void* find_host_symbol(const char* symbol) { return finder.of_host(symbol); }
void* find_host_object(const char* symbol) { return finder.object(symbol); }

SymbolFinder symbol_finder() { return finder; }
void set_symbol_finder(SymbolFinder other) { finder = other; }
bool finds_by_itself() { return finder.next == next_behind_this; }

}  // namespace marshal
