// The files that the program has open, as far as packing for them needs it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <optional>

#include "base/relaxed.h"
#include "files/access.h"

namespace marshal::files {

// The part of a host that reads and writes a file.
enum class Component : std::uint8_t { ompio, romio, unknown };

struct OpenFile {
  OpenFile(int access_mode, Component component, bool size_may_be_asked)
      : may_be_read((access_mode & MPI_MODE_WRONLY) == 0),
        may_be_written((access_mode & MPI_MODE_RDONLY) == 0),
        is_sequential((access_mode & MPI_MODE_SEQUENTIAL) != 0),
        by_romio(component == Component::romio),
        has_known_component(component != Component::unknown),
        has_known_size(size_may_be_asked) {}

  const bool may_be_read, may_be_written, is_sequential;
  const bool by_romio;  // else by OMPIO, or unknown: OMPIO's rules are the more careful ones
  const bool has_known_component;
  const bool has_known_size;            // MPI_File_get_size cannot fail
  Relaxed<bool> is_native{true};        // the data representation of its view
  Relaxed<std::int64_t> etype_size{1};  // of its view, in bytes
  Relaxed<std::int64_t> etype_end{1};   // no byte of an etype is so far behind its place
  Relaxed<bool> view_has_gaps{false};
  // A split collective access, from its begin to its end. MPI allows one at a time, and only begin and end look here.
  std::optional<Access> split;
  // An independent access at the own pointer has it, as it may take several calls of the host, which together are as
  // atomic as the host's one call. Recursive: error handlers may access the file.
  std::recursive_mutex at_own_pointer;
};

// The host has opened the file, with this mode of access.
void enter(MPI_File file, int access_mode);
// It has got a view. `datarep`: its data representation; null where only the host knows it (in Fortran).
void note_view(MPI_File file, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep);
// It is about to be closed. The last one to close gives the memory of copies back. Any thread, in any call.
void forget(MPI_File file);

// Null if it was opened unseen. Valid until the file is closed.
OpenFile* find(MPI_File file);

}  // namespace marshal::files
