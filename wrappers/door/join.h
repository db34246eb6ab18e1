// The data that libmarshal.so and the family's library that it opens exchange.
#pragma once

#include <cstddef>

#include "host/next_symbol.h"

namespace marshal {

struct DoorSide {
  SymbolFinder finder;  // from the door's place in front of the host
  bool had_stderr;      // when the process began
};

struct FamilySide {
  const char* version;  // of the library: both are built together
  std::size_t entry_count;
  void* const* entries;  // in the order of wrappers/door/door_entries.inc
  // marshal.h. A communicator is a machine word here: its type in C depends on the family.
  int (*comm_process)(std::size_t comm, int rank, int* group, int* lpid);
  int (*comm_rank)(std::size_t comm, int group, int lpid, int* rank);
  int (*comm_size)(std::size_t comm, int* size);
  int (*comm_map)(std::size_t comm, std::size_t* bytes, const char** model);
  int (*node)(int lpid);
  int (*sent)(int lpid, unsigned long long* messages, unsigned long long* bytes);
};

// The family's library has it under the name marshal_join.
using Join = const FamilySide* (*)(const DoorSide* door);

}  // namespace marshal
