// The PMPI_ functions that free handles. Tools that are linked into a program call them, and so does Open MPI's Fortran
// layer; the host frees its own objects by them, at any time, on any thread. Marshal forgets what it kept for the
// handle, which may soon mean something else, and goes on to the host. It counts no call.
#include <mpi.h>

#include "communicators/groups.h"
#include "communicators/persistent_requests.h"
#include "host/presence.h"
#include "types/type_book.h"
#include "wrappers/ends.h"
#include "wrappers/next_hooked.h"

namespace marshal {
namespace {

// Frees the handle by `ends`, which runs the host's function, if Marshal may keep anything for it.
template <HostHook hook, class Handle, class End>
[[gnu::always_inline]] inline int free_by_host(Handle* handle, const void* caller, End ends) {
  const auto next = next_of<hook, int(Handle*)>(caller);
  if (!is_here() || handle == nullptr) return next(handle);
  return ends([=] { return next(handle); });
}

template <HostHook hook, class Handle>
[[gnu::always_inline]] inline int forget_and_free(Handle* handle, const void* caller, void (*forget)(Handle)) {
  return free_by_host<hook>(handle, caller, [=](auto host) {
    forget(*handle);
    return host();
  });
}

void forget_request(MPI_Request request) {
  if (any_persistent_requests()) forget_persistent_request(request);
}

}  // namespace

extern "C" {
#define MARSHAL_HOOK __attribute__((visibility("default")))
// A standard ABI's mpi.h declares only what else is used of it.
MARSHAL_HOOK int PMPI_Comm_free(MPI_Comm* comm);
MARSHAL_HOOK int PMPI_Comm_disconnect(MPI_Comm* comm);
MARSHAL_HOOK int PMPI_Group_free(MPI_Group* group);
MARSHAL_HOOK int PMPI_Win_free(MPI_Win* win);
MARSHAL_HOOK int PMPI_File_close(MPI_File* file);
MARSHAL_HOOK int PMPI_Type_free(MPI_Datatype* type);
MARSHAL_HOOK int PMPI_Request_free(MPI_Request* request);
#undef MARSHAL_HOOK

int PMPI_Comm_free(MPI_Comm* comm) {
  return free_by_host<HostHook::free_communicator>(comm, __builtin_return_address(0),
                                                   [=](auto host) { return end_communicator(comm, host); });
}
int PMPI_Comm_disconnect(MPI_Comm* comm) {
  return free_by_host<HostHook::disconnect_communicator>(comm, __builtin_return_address(0),
                                                         [=](auto host) { return end_communicator(comm, host); });
}
int PMPI_Win_free(MPI_Win* win) {
  return free_by_host<HostHook::free_window>(win, __builtin_return_address(0),
                                             [=](auto host) { return end_window_or_file(win, host); });
}
int PMPI_File_close(MPI_File* file) {
  return free_by_host<HostHook::close_file>(file, __builtin_return_address(0),
                                            [=](auto host) { return end_window_or_file(file, host); });
}
int PMPI_Group_free(MPI_Group* group) {
  return forget_and_free<HostHook::free_group>(group, __builtin_return_address(0), books::release_group_unseen);
}
int PMPI_Type_free(MPI_Datatype* type) {
  return forget_and_free<HostHook::free_type>(type, __builtin_return_address(0), books::forget_type);
}
int PMPI_Request_free(MPI_Request* request) {
  return forget_and_free<HostHook::free_request>(request, __builtin_return_address(0), forget_request);
}
}

}  // namespace marshal
