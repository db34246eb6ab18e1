// Finds the functions and objects that stand behind Marshal.
//
// First it tries dlsym(RTLD_NEXT), the next library in load order, so Marshal stacks with other tools. If the MPI
// library was opened with RTLD_LOCAL (mpi4py), that finds nothing: then it asks the caller's own library, which sees
// the libraries that it was linked to. Needs neither mpi.h nor the C++ runtime.
#pragma once

namespace marshal {

// The address of the next `symbol` seen from `caller` (a code address), or null. Never an address within this library.
// Thread safe.
void* find_next_symbol(const char* symbol, const void* caller);

// The same, and nothing is remembered of the caller: for functions that others than MPI's callers call, too.
void* find_symbol_behind(const char* symbol, const void* caller);

// The same for symbols without a caller: looked up where the first successful find_next_symbol found its symbol.
void* find_host_symbol(const char* symbol);

// The same for objects: an executable may hold the one that counts (copy relocation), so the global scope goes first.
void* find_host_object(const char* symbol);

// The functions that look symbols up: "next" depends on the library that asks. A library that libmarshal.so opened has
// no place in front of the host's, so it uses libmarshal.so's functions.
struct SymbolFinder {
  void* (*next)(const char* symbol, const void* caller);
  void* (*behind)(const char* symbol, const void* caller);
  void* (*of_host)(const char* symbol);
  void* (*object)(const char* symbol);
};
SymbolFinder symbol_finder();
void set_symbol_finder(SymbolFinder finder);  // before any other thread looks for anything
bool finds_by_itself();                       // no other finder was set

}  // namespace marshal
