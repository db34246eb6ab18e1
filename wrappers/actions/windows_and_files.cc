// Windows and files, which make communicators of their own inside the host: counted where the program made them.
#include "communicators/communicators.h"
#include "communicators/creation.h"
#include "communicators/internal_communicators.h"
#include "files/packed_access.h"
#include "host/predefined.h"
#include "settings/settings_in_force.h"
#include "wrappers/actions/ends.h"
#include "wrappers/entry/actions.h"

namespace marshal::action {
namespace {

// An error handler can make a success of the code of a call that failed, on MPICH. Such a call made nothing.
bool has_made(int code, const MPI_Win* handle) {
  return code == MPI_SUCCESS && handle != nullptr && *handle != predefined().win_null;
}
bool has_made(int code, const MPI_File* handle) {
  return code == MPI_SUCCESS && handle != nullptr && *handle != predefined().file_null;
}

template <class Handle>
int create(HostCall& host, MPI_Comm comm, Handle* handle) {
  Creation creation(name_of(host.call), host.caller);
  const int code = creation.run(host);
  if (!has_made(code, handle)) return code;
  const Communicator unknown;
  const Communicator* on = books::known(comm);
  if (on == nullptr && !settings().asks_host) on = &unknown;
  if (on != nullptr &&
      !HostCall::own([&] { books::enter_window_or_file(*handle, creation.made_inside(*on), on->map, on->grid); }))
    books::forget_window_or_file(*handle);
  return code;
}

}  // namespace

int make_window(HostCall& host, MPI_Comm comm, MPI_Win* win) { return create(host, comm, win); }
int win_free(HostCall& host, MPI_Win* win) { return end_window_or_file(win, host); }

int file_open(HostCall& host, MPI_Comm comm, int access_mode, MPI_Info, MPI_File* file) {
  const int code = create(host, comm, file);
  if (has_made(code, file) && files::are_on()) HostCall::own([&] { files::enter(*file, access_mode); });
  return code;
}
int file_close(HostCall& host, MPI_File* file) { return end_window_or_file(file, host); }

}  // namespace marshal::action
