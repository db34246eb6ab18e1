// The end of communicators, windows and files, whatever call frees them. `host` runs the host's function.
//
// The entry leaves the books first: as soon as the host has freed the object, another thread may get the same handle
// for a new one.
#pragma once

#include <mpi.h>

#include <memory>
#include <type_traits>
#include <utility>

#include "base/attempt.h"
#include "communicators/communicators.h"
#include "communicators/creation.h"
#include "communicators/internal_communicators.h"
#include "files/open_files.h"
#include "host/predefined.h"
#include "wrappers/actions/short_lived_grids.h"

namespace marshal {

template <class Host>
int end_communicator(MPI_Comm* handle, Host&& host) {
  if (handle == nullptr || *handle == predefined().comm_world || *handle == predefined().comm_self) return host();
  const MPI_Comm ended = *handle;
  watched_grid_ends(ended);
  struct Taken {
    MPI_Comm handle;
    std::unique_ptr<Communicator> communicator;
    ~Taken() {  // the host refused, or a delete function of the program threw: it is still alive
      if (communicator == nullptr) return;
      if (!attempt([&] { books::enter(handle, std::move(communicator)); })) books::enter_without_map(handle);
    }
  } taken{ended, books::take(ended)};
  const int code = host();
  if (code == MPI_SUCCESS && taken.communicator != nullptr) {
    books::count_end(*taken.communicator);
    taken.communicator.reset();
  }
  return code;
}

// Ends a window or a file.
template <class Handle, class Host>
int end_window_or_file(Handle* handle, Host&& host) {
  if (handle == nullptr) return host();
  const Handle ended = *handle;
  if constexpr (std::is_same_v<Handle, MPI_File>) files::forget(ended);
  auto taken = books::take_window_or_file(ended);
  const int code = host();
  if (taken == nullptr) return code;
  // Hosts close a file whose last bytes they could not write. A window whose epoch is not over lives on.
  if (code == MPI_SUCCESS || std::is_same_v<Handle, MPI_File>)
    count_freed(taken->site);
  else
    attempt([&] { books::put_back_window_or_file(ended, std::move(taken)); });
  return code;
}

}  // namespace marshal
