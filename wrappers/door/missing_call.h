// A call that the host lacks: its arguments, and where its error goes. Nothing here ends the process.
//
// The error handler is that of the call's communicator, window or file. A call without these has that of
// MPI_COMM_SELF; on hosts before MPI-4 it has that of MPI_COMM_WORLD. Source: MPI Forum, MPI: A Message-Passing
// Interface Standard 4.0, section 9.3, Error handling.
//
// This stands in libmarshal.so and in the library of each family. What one of them alone knows is its side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "host/host_family.h"
#include "host/next_symbol.h"

namespace marshal {

// Values that differ between the ABIs of MPI libraries, for code that is compiled without an mpi.h. The library of each
// family compares its row with its mpi.h.
struct FamilyConstants {
  int err_count, err_no_mem, err_unsupported_operation;
  int proc_null, root;
  int cart, graph, dist_graph;
  long in_place;
  long comm_null;  // 0: not a constant
};

// In the order of HostFamily. Of an unknown MPI the classes of errors that most have; no rank or address is special.
inline constexpr FamilyConstants family_constants[] = {
    {2, 39, 52, -2, -4, 1, 2, 3, 1, 0},            // Open MPI
    {2, 34, 44, -1, -3, 2, 1, 3, -1, 0x04000000},  // MPICH
    {2, 39, 55, -3, -4, 211, 212, 213, 1, 256},    // the standard ABI
    {2, 39, 52, 1, 1, -1, -1, -1, 1, 0},
};

constexpr const FamilyConstants& constants_of(HostFamily family) { return family_constants[static_cast<int>(family)]; }

// How a program passes its arguments.
enum class Language : unsigned char {
  c,
  fortran,     // by reference, and ierror behind the last one
  descriptors  // the same, with buffers as descriptors of C
};

// A call of the table. Each argument is a letter.
//
//   n        a large number in
//   l m      a large number and an int in: the length of the arrays k
//   o u      a large number out, one in and out
//   p q      an array of large numbers in: one for each peer, for each member of the own group
//   i d k    the same for each source, each destination, each part of a datatype
//   b B      the buffer that is sent, the one that receives
//   r R      the root of a gather or a broadcast, that of a scatter
//   c w f s  a communicator, window, file, session
//   e        the error handler of a new session
//   x O      the function of an operation, the operation that is made
//   t        the request that is made
//   .        anything else
struct MissingCall {
  Language language;
  const char* letters;

  static constexpr std::size_t most_arguments = 13;
  std::size_t arguments() const { return std::strlen(letters); }
  std::size_t words() const { return arguments() + (language == Language::c ? 0 : 1); }
  // The number of the argument with this letter, or -1.
  int find(char letter) const {
    const char* const at = std::strchr(letters, letter);
    return at != nullptr ? static_cast<int>(at - letters) : -1;
  }
};

// Where an error of a call goes to.
struct ErrorPlace {
  Language language;
  char kind;           // the letter of the object whose handler it is: f, w, s, c or e; '.': of no object
  int object, ierror;  // numbers of words; -1: none
};

struct MissingCallSide {
  const FamilyConstants& constants;
  bool knows_fortran;  // its communicators and its MPI_IN_PLACE
  // The handle as C has it.
  std::uintptr_t (*communicator)(Language language, std::uintptr_t word);
  bool (*is_in_place)(Language language, std::uintptr_t buffer);
  // Calls the error handler of the object in `word`, of that kind of ErrorPlace.
  void (*call_error_handler)(Language language, char kind, std::uintptr_t word, int code);
  // The call made the request at `request`. `block` is to be freed once that has ended.
  void (*keep_block)(Language language, std::uintptr_t request, void* block);
  // The call made the operation at `operation` of large operation `which` (large_operations.h).
  void (*note_operation)(Language language, std::uintptr_t operation, int which);
};

// Of this library.
const MissingCallSide& missing_call_side();

// Calls a function of the host; its code, or MPI_ERR_UNSUPPORTED_OPERATION where it has none of that name.
template <class... Words>
int ask_host(const char* function, Words... words) {
  const auto found = reinterpret_cast<int (*)(Words...)>(find_host_symbol(function));
  return found != nullptr ? found(words...) : missing_call_side().constants.err_unsupported_operation;
}

// Lets the right error handler know of `code` and returns it as the call's. `words`: those of the call.
std::uintptr_t fail_missing_call(const ErrorPlace& place, const std::uintptr_t* words, int code);
// The same where the handler knows already.
std::uintptr_t answer_missing_call(const ErrorPlace& place, const std::uintptr_t* words, int code);

}  // namespace marshal
