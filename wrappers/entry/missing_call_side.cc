// The side of a family's library in calls that the host lacks (missing_call.h).
#include <mpi.h>

#include "host/handles.h"
#include "host/predefined.h"
#include "wrappers/door/large_operations.h"
#include "wrappers/door/missing_call.h"
#include "wrappers/entry/kept_blocks.h"
#include "wrappers/entry/row.h"
#include "wrappers/entry/sentinels.h"

namespace marshal {
namespace {

#ifdef MARSHAL_HOST_OPENMPI
constexpr const FamilyConstants& constants = constants_of(HostFamily::openmpi);
#elif defined(MARSHAL_HOST_ABI)
constexpr const FamilyConstants& constants = constants_of(HostFamily::abi);
#else
constexpr const FamilyConstants& constants = constants_of(HostFamily::mpich);
#endif
static_assert(constants.err_count == MPI_ERR_COUNT && constants.err_no_mem == MPI_ERR_NO_MEM &&
              constants.err_unsupported_operation == MPI_ERR_UNSUPPORTED_OPERATION &&
              constants.proc_null == MPI_PROC_NULL && constants.root == MPI_ROOT && constants.cart == MPI_CART &&
              constants.graph == MPI_GRAPH && constants.dist_graph == MPI_DIST_GRAPH);

template <class Handle>
Handle handle_of_word(Language language, Word word) {
  if (language == Language::c) return from_word<Handle>(word);
  Handle handle{};
  from_fortran(*from_word<const MPI_Fint*>(word), handle);
  return handle;
}
template <class Handle>
Handle handle_at(Language language, Word address) {
  return language == Language::c ? *from_word<const Handle*>(address) : handle_of_word<Handle>(language, address);
}

std::uintptr_t communicator(Language language, std::uintptr_t word) {
  return to_word(handle_of_word<MPI_Comm>(language, word));
}

bool is_in_place(Language language, std::uintptr_t buffer) {
  // A descriptor begins with the address.
  if (language == Language::descriptors) buffer = *from_word<const Word*>(buffer);
  const Binding binding = language == Language::c ? Binding::c : Binding::f08;
  return matches(Sentinel::in_place, binding, from_word<const void*>(buffer)) == Match::yes;
}

// Where the host has no sessions, their handlers are predefined.
void call_handler_of_new_session(MPI_Errhandler handler, int code) {
  if (handler == predefined().errors_are_fatal) ask_host("PMPI_Abort", predefined().comm_self, code);
}

void call_error_handler(Language language, char kind, std::uintptr_t word, int code) {
  int version = 0, subversion = 0;
  switch (kind) {
    case 'c':
      ask_host("PMPI_Comm_call_errhandler", handle_of_word<MPI_Comm>(language, word), code);
      return;
    case 'w':
      ask_host("PMPI_Win_call_errhandler", handle_of_word<MPI_Win>(language, word), code);
      return;
    case 'f':
      ask_host("PMPI_File_call_errhandler", handle_of_word<MPI_File>(language, word), code);
      return;
    case 's':
      ask_host("PMPI_Session_call_errhandler", handle_of_word<MPI_Session>(language, word), code);
      return;
    case 'e':
      if (language == Language::c) call_handler_of_new_session(from_word<MPI_Errhandler>(word), code);
      return;
    default:
      ask_host("PMPI_Get_version", &version, &subversion);
      ask_host("PMPI_Comm_call_errhandler", version < 4 ? predefined().comm_world : predefined().comm_self, code);
  }
}

void keep(Language language, std::uintptr_t request, void* block) {
  keep_block(handle_at<MPI_Request>(language, request), block);
}

void note_operation(Language language, std::uintptr_t operation, int which) {
  note_large_operation(which, key_of(handle_at<MPI_Op>(language, operation)));
}

}  // namespace

const MissingCallSide& missing_call_side() {
  static const MissingCallSide side{constants,          true, communicator,  is_in_place,
                                    call_error_handler, keep, note_operation};
  return side;
}

}  // namespace marshal
