// The family's side of the door: gives its entry points to libmarshal.so, which opened this library.
#include <config.h>

#include <iterator>

#include "base/message.h"
#include "wrappers/door/join.h"
#define MARSHAL_API __attribute__((visibility("default")))
#include "wrappers/actions/marshal.h"
#include "wrappers/entry/row.h"

#define MARSHAL_DOOR(index, symbol) extern "C" void marshal_entry_##index() __asm__(#symbol);
#include "wrappers/door/door_entries.inc"
#undef MARSHAL_DOOR

namespace marshal {
namespace {

int comm_process(std::size_t comm, int rank, int* group, int* lpid) {
  return marshal_comm_process(from_word<MPI_Comm>(comm), rank, group, lpid);
}
int comm_rank(std::size_t comm, int group, int lpid, int* rank) {
  return marshal_comm_rank(from_word<MPI_Comm>(comm), group, lpid, rank);
}
int comm_size(std::size_t comm, int* size) { return marshal_comm_size(from_word<MPI_Comm>(comm), size); }
int comm_map(std::size_t comm, std::size_t* bytes, const char** model) {
  return marshal_comm_map(from_word<MPI_Comm>(comm), bytes, model);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const FamilySide* marshal_join(const DoorSide* door) {
  static void* const entries[] = {
#define MARSHAL_DOOR(index, symbol) reinterpret_cast<void*>(marshal_entry_##index),
#include "wrappers/door/door_entries.inc"
#undef MARSHAL_DOOR
  };
  static const FamilySide side{PACKAGE_VERSION, std::size(entries), entries,      comm_process, comm_rank,
                               comm_size,       comm_map,           marshal_node, marshal_sent};
  set_symbol_finder(door->finder);
  set_had_stderr(door->had_stderr);
  return &side;
}

}  // namespace marshal
