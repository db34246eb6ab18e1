// Finds the functions and objects that stand behind Marshal.
//
// First dlsym(RTLD_NEXT): that is the next library in load order, so Marshal stacks with other tools. Where the MPI
// came by dlopen with RTLD_LOCAL (mpi4py), RTLD_NEXT finds nothing: then the caller's own library is asked, which sees
// what it was linked to. Needs neither mpi.h nor the C++ runtime.
#pragma once

namespace marshal {

// The address of the next `symbol` seen from `caller` (a code address), or null. Never an address within this library.
// Thread safe.
void* find_next_symbol(const char* symbol, const void* caller);

// The same for symbols that nobody called: sought where the first successful find_next_symbol found its own.
void* find_host_symbol(const char* symbol);

// The same for objects: an executable may hold the one that counts (copy relocation), so the global scope goes first.
void* find_host_object(const char* symbol);

// Who does it: "next" depends on the library that asks. A library that libmarshal.so opened has no place of its own in
// front of the host's, and asks libmarshal.so.
struct SymbolFinder {
  void* (*next)(const char* symbol, const void* caller);
  void* (*of_host)(const char* symbol);
  void* (*object)(const char* symbol);
};
SymbolFinder symbol_finder();
void set_symbol_finder(SymbolFinder finder);  // before any other thread looks for anything
bool finds_by_itself();                       // no other finder was set

}  // namespace marshal
