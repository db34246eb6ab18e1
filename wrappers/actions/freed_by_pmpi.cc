// The PMPI_ functions that free handles. Tools that are linked into a program call them, and so does Open MPI's Fortran
// layer; the host frees its own objects by them, at any time, on any thread. Marshal forgets what it kept for the
// handle, which may soon mean something else, and goes on to the host. It counts no call.
#include <mpi.h>

#include "communicators/groups.h"
#include "communicators/persistent_requests.h"
#include "copies/extended_requests.h"
#include "host/presence.h"
#include "types/type_book.h"
#include "wrappers/actions/ends.h"
#include "wrappers/actions/next_hooked.h"

namespace marshal {
namespace {

// Frees the handle by `ends`, which runs the host's function, if Marshal may keep anything for it.
template <HostHook hook, class Handle, class End>
[[gnu::always_inline]] inline int free_by_host(Handle* handle, const void* caller, End ends) {
  const auto next = next_of<hook, int(Handle*)>(caller);
  if (!is_here() || handle == nullptr) return next(handle);
  return ends([=] { return next(handle); });
}

void forget_request(MPI_Request request) {
  ExtendedRequest::leave(request);
  if (any_persistent_requests()) forget_persistent_request(request);
}

// The end of a handle of which Marshal keeps nothing more than it forgets here.
template <auto forget>
constexpr auto forgets = [](auto* handle, auto host) {
  forget(*handle);
  return host();
};

}  // namespace

extern "C" {
// Declared, too: a standard ABI's mpi.h declares only what else is used of it.
#define MARSHAL_FREES(hook, function, Handle, ends)                                     \
  __attribute__((visibility("default"))) int function(Handle* handle);                  \
  int function(Handle* handle) {                                                        \
    return free_by_host<HostHook::hook>(handle, __builtin_return_address(0),            \
                                        [=](auto host) { return ends(handle, host); }); \
  }
MARSHAL_FREES(free_communicator, PMPI_Comm_free, MPI_Comm, end_communicator)
MARSHAL_FREES(disconnect_communicator, PMPI_Comm_disconnect, MPI_Comm, end_communicator)
MARSHAL_FREES(free_window, PMPI_Win_free, MPI_Win, end_window_or_file)
MARSHAL_FREES(close_file, PMPI_File_close, MPI_File, end_window_or_file)
MARSHAL_FREES(free_group, PMPI_Group_free, MPI_Group, forgets<books::release_group_unseen>)
MARSHAL_FREES(free_type, PMPI_Type_free, MPI_Datatype, forgets<books::forget_type>)
MARSHAL_FREES(free_request, PMPI_Request_free, MPI_Request, forgets<forget_request>)
}

}  // namespace marshal
