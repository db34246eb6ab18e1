// The books of windows (MPI_Win) and files (MPI_File). Each has communicators of its own inside the host, which the
// report counts at the call site of the window or file. Each also has a group, that of its communicator.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/immortal.h"
#include "base/registry.h"
#include "communicators/communicator_memory.h"
#include "communicators/creation_site.h"
#include "host/handles.h"
#include "rankmap/rank_map.h"
#include "traffic/thread_counts.h"

namespace marshal::books {

struct WindowOrFile : OnCacheLine {
  WindowOrFile(CreationSite* by, const RankMap& of, GridNumber on) : site(by), map(of), grid(on) {}
  CreationSite* site;
  RankMap map;
  GridNumber grid;  // of the communicator that it was made on
};

template <class Handle>
Registry<WindowOrFile>& windows_or_files(Handle) {  // HANDLES: windows, files
  static Immortal<Registry<WindowOrFile>> alive;
  return *alive;
}

template <class Handle>
void put_back_window_or_file(Handle handle, std::unique_ptr<WindowOrFile> one) {
  const auto unnoticed = windows_or_files(handle).insert(key_of(handle), std::move(one));
  if constexpr (!std::is_same_v<Handle, MPI_File>) handle_departures.count<HandleOf::win>(handle);
  if (unnoticed != nullptr) count_freed(unnoticed->site);
}
template <class Handle>
void enter_window_or_file(Handle handle, CreationSite* site, const RankMap& map, GridNumber grid) {
  put_back_window_or_file(handle, std::make_unique<WindowOrFile>(site, map, grid));
}

// Null if it was made unseen; valid until the window or file is freed.
template <class Handle>
const WindowOrFile* find_window_or_file(Handle handle) {
  return windows_or_files(handle).find(key_of(handle));
}
template <class Handle>
const RankMap* map_of_window_or_file(Handle handle) {
  const WindowOrFile* made = find_window_or_file(handle);
  return made != nullptr ? &made->map : nullptr;
}

// Removes its entry, or null.
template <class Handle>
std::unique_ptr<WindowOrFile> take_window_or_file(Handle handle) {
  auto taken = windows_or_files(handle).extract(key_of(handle));
  if constexpr (!std::is_same_v<Handle, MPI_File>) handle_departures.count<HandleOf::win>(handle);
  return taken;
}

// One that was made or freed unseen, in a callback of the program or inside the host.
template <class Handle>
void forget_window_or_file(Handle handle) {
  if (const auto gone = take_window_or_file(handle)) count_freed(gone->site);
}

}  // namespace marshal::books
