// Every call that moves data between memory and a file, with what a random program must know of each.
#pragma once

#include <mpi.h>

#include <cstring>

namespace marshal::file_fuzz {

// One call of one rank.
struct Transfer {
  MPI_File file = MPI_FILE_NULL;
  MPI_Offset offset = 0;  // in etypes, for calls with an explicit offset
  void* buffer = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  bool with_status = true;
  bool by_test = false;  // a request is completed by MPI_Test, not by MPI_Wait
  bool large = false;    // the form with a count of MPI_Count, where the host has it
  MPI_Status status;
  MPI_Status* asked() { return with_status ? &status : MPI_STATUS_IGNORE; }
};

inline int complete(Transfer& t, MPI_Request& request) {
  if (!t.by_test) return MPI_Wait(&request, t.asked());
  int done = 0, code = MPI_SUCCESS;
  while (!done && code == MPI_SUCCESS) code = MPI_Test(&request, &done, t.asked());
  return code;
}

enum class Pointer { own, offset, shared };
enum class Way { blocking, request, split };

struct Call {
  const char* name;
  bool writes, collective;
  Pointer pointer;
  Way way;
  int (*run)(Transfer&);
};

#if MPI_VERSION >= 4
#define BY_COUNT(name, ...) (t.large ? MPI_File_##name##_c(__VA_ARGS__) : MPI_File_##name(__VA_ARGS__))
#else
#define BY_COUNT(name, ...) MPI_File_##name(__VA_ARGS__)
#endif

#define BLOCKING(name) [](Transfer& t) { return BY_COUNT(name, t.file, t.buffer, t.count, t.type, t.asked()); }
#define BLOCKING_AT(name) \
  [](Transfer& t) { return BY_COUNT(name, t.file, t.offset, t.buffer, t.count, t.type, t.asked()); }
#define REQUEST(name)                                                             \
  [](Transfer& t) {                                                               \
    MPI_Request request = MPI_REQUEST_NULL;                                       \
    const int code = BY_COUNT(name, t.file, t.buffer, t.count, t.type, &request); \
    return code == MPI_SUCCESS ? complete(t, request) : code;                     \
  }
#define REQUEST_AT(name)                                                                    \
  [](Transfer& t) {                                                                         \
    MPI_Request request = MPI_REQUEST_NULL;                                                 \
    const int code = BY_COUNT(name, t.file, t.offset, t.buffer, t.count, t.type, &request); \
    return code == MPI_SUCCESS ? complete(t, request) : code;                               \
  }
// After a begin that failed there is nothing to end.
#define SPLIT(name)                                                                         \
  [](Transfer& t) {                                                                         \
    const int code = BY_COUNT(name##_begin, t.file, t.buffer, t.count, t.type);             \
    return code == MPI_SUCCESS ? MPI_File_##name##_end(t.file, t.buffer, t.asked()) : code; \
  }
#define SPLIT_AT(name)                                                                      \
  [](Transfer& t) {                                                                         \
    const int code = BY_COUNT(name##_begin, t.file, t.offset, t.buffer, t.count, t.type);   \
    return code == MPI_SUCCESS ? MPI_File_##name##_end(t.file, t.buffer, t.asked()) : code; \
  }

constexpr Call calls[] = {
    {"read", false, false, Pointer::own, Way::blocking, BLOCKING(read)},
    {"write", true, false, Pointer::own, Way::blocking, BLOCKING(write)},
    {"read_at", false, false, Pointer::offset, Way::blocking, BLOCKING_AT(read_at)},
    {"write_at", true, false, Pointer::offset, Way::blocking, BLOCKING_AT(write_at)},
    {"read_all", false, true, Pointer::own, Way::blocking, BLOCKING(read_all)},
    {"write_all", true, true, Pointer::own, Way::blocking, BLOCKING(write_all)},
    {"read_at_all", false, true, Pointer::offset, Way::blocking, BLOCKING_AT(read_at_all)},
    {"write_at_all", true, true, Pointer::offset, Way::blocking, BLOCKING_AT(write_at_all)},
    {"read_shared", false, false, Pointer::shared, Way::blocking, BLOCKING(read_shared)},
    {"write_shared", true, false, Pointer::shared, Way::blocking, BLOCKING(write_shared)},
    {"read_ordered", false, true, Pointer::shared, Way::blocking, BLOCKING(read_ordered)},
    {"write_ordered", true, true, Pointer::shared, Way::blocking, BLOCKING(write_ordered)},
    {"iread", false, false, Pointer::own, Way::request, REQUEST(iread)},
    {"iwrite", true, false, Pointer::own, Way::request, REQUEST(iwrite)},
    {"iread_at", false, false, Pointer::offset, Way::request, REQUEST_AT(iread_at)},
    {"iwrite_at", true, false, Pointer::offset, Way::request, REQUEST_AT(iwrite_at)},
    {"iread_all", false, true, Pointer::own, Way::request, REQUEST(iread_all)},
    {"iwrite_all", true, true, Pointer::own, Way::request, REQUEST(iwrite_all)},
    {"iread_at_all", false, true, Pointer::offset, Way::request, REQUEST_AT(iread_at_all)},
    {"iwrite_at_all", true, true, Pointer::offset, Way::request, REQUEST_AT(iwrite_at_all)},
    {"iread_shared", false, false, Pointer::shared, Way::request, REQUEST(iread_shared)},
    {"iwrite_shared", true, false, Pointer::shared, Way::request, REQUEST(iwrite_shared)},
    {"read_all_begin", false, true, Pointer::own, Way::split, SPLIT(read_all)},
    {"write_all_begin", true, true, Pointer::own, Way::split, SPLIT(write_all)},
    {"read_at_all_begin", false, true, Pointer::offset, Way::split, SPLIT_AT(read_at_all)},
    {"write_at_all_begin", true, true, Pointer::offset, Way::split, SPLIT_AT(write_at_all)},
    {"read_ordered_begin", false, true, Pointer::shared, Way::split, SPLIT(read_ordered)},
    {"write_ordered_begin", true, true, Pointer::shared, Way::split, SPLIT(write_ordered)},
};
constexpr int call_count = sizeof calls / sizeof *calls;

#undef BY_COUNT
#undef BLOCKING
#undef BLOCKING_AT
#undef REQUEST
#undef REQUEST_AT
#undef SPLIT
#undef SPLIT_AT

}  // namespace marshal::file_fuzz
