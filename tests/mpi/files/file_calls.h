// Every call that moves data between memory and a file, with what a random program must know of each.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

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

  // So the line shows fields that a call leaves as they are.
  void mark_status() {
    std::memset(&status, 0x5A, sizeof status);
    PMPI_Status_set_elements(&status, MPI_BYTE, 77);
    PMPI_Status_set_cancelled(&status, 1);
  }
  // The bytes that moved as the status says, at most `most`.
  std::int64_t bytes_moved(std::int64_t most) const {
    int bytes = -9;
    if (with_status) MPI_Get_elements(&status, MPI_BYTE, &bytes);
    return bytes >= 0 ? std::min<std::int64_t>(bytes, most) : most;
  }
  // `all`: with the fields that both hosts set in blocking calls only.
  std::string status_text(bool all) const {
    if (!with_status) return "no status";
    int count_there = -9, elements = -9, cancelled = -9;
    MPI_Count elements_x = -9;
    MPI_Get_count(&status, type, &count_there);
    MPI_Get_elements(&status, type, &elements);
    MPI_Get_elements_x(&status, type, &elements_x);
    const std::string text = "count " + std::to_string(count_there) + " elements " + std::to_string(elements) + " " +
                             std::to_string(elements_x);
    if (!all) return text;
    MPI_Test_cancelled(&status, &cancelled);
    return text + " cancelled " + std::to_string(cancelled) + " source " + std::to_string(status.MPI_SOURCE) + " tag " +
           std::to_string(status.MPI_TAG) + " error " + std::to_string(status.MPI_ERROR);
  }
};

// `begun`: what the call returned that made the request. Some make one although they fail.
inline int complete(Transfer& t, int begun, MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return begun;
  int done = 0, code = t.by_test ? MPI_SUCCESS : MPI_Wait(&request, t.asked());
  while (t.by_test && !done && code == MPI_SUCCESS) code = MPI_Test(&request, &done, t.asked());
  return begun != MPI_SUCCESS ? begun : code;
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
    return complete(t, code, request);                                            \
  }
#define REQUEST_AT(name)                                                                    \
  [](Transfer& t) {                                                                         \
    MPI_Request request = MPI_REQUEST_NULL;                                                 \
    const int code = BY_COUNT(name, t.file, t.offset, t.buffer, t.count, t.type, &request); \
    return complete(t, code, request);                                                      \
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
