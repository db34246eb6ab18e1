// Finds the function that a preloaded entry point stands in front of.
//
// First dlsym(RTLD_NEXT): that is the next library in load order, so Marshal stacks with other tools. Where the MPI
// came by dlopen with RTLD_LOCAL (mpi4py), RTLD_NEXT finds nothing: then the caller's own library is asked, which sees
// what it was linked to.
#pragma once

#include <atomic>

namespace marshal {

// The address of the next `symbol` seen from `caller` (a code address), or null. Never an address within this library.
// Thread safe.
void* find_next_symbol(const char* symbol, const void* caller);

// The same for symbols that nobody called: sought where the first successful find_next_symbol found its own.
void* find_host_symbol(const char* symbol);

// The same for objects: an executable may hold the one that counts (copy relocation), so the global scope goes first.
void* find_host_object(const char* symbol);

// One symbol's next function, looked up once. A slot is a static object: constant initialisation, no destructor.
class Slot {
 public:
  constexpr explicit Slot(const char* symbol) : symbol_(symbol) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  void* next(const void* caller) {
    void* found = next_.load(std::memory_order_acquire);
    return found ? found : resolve(caller);
  }

 private:
  void* resolve(
      const void* caller);  // ends the process with one line where there is no next function, as the loader would

  std::atomic<void*> next_{nullptr};
  const char* symbol_;
};

}  // namespace marshal
