#include "files/open_files.h"

#include <strings.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "base/immortal.h"
#include "base/registry.h"
#include "host/handles.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "types/type_reader.h"

namespace marshal::files {
namespace {

Registry<OpenFile>& open_files() {  // HANDLES: open files
  static Immortal<Registry<OpenFile>> the;
  return *the;
}

std::atomic<std::int64_t> open_now{0};

#ifdef MARSHAL_HOST_OPENMPI
// Open MPI tells by no call which of its components has a file. The handle points to a structure that holds a copy of
// the component's own description (f_io_selected_component in ompi/file/file.h). Its name is in the first 512 bytes: at
// byte 292 in 4.1.
Component component_of(MPI_File file) {
  constexpr std::size_t looked_at = 512;
  const std::string_view structure(reinterpret_cast<const char*>(file), looked_at);
  using namespace std::string_view_literals;
  if (structure.find("\0ompio\0"sv) != structure.npos) return Component::ompio;
  if (structure.find("\0romio"sv) != structure.npos) return Component::romio;
  return Component::unknown;
}
#else
Component component_of(MPI_File) { return is_open_mpi() ? Component::unknown : Component::romio; }
#endif

bool is_native(const char* datarep) { return strcasecmp(datarep, "native") == 0; }

bool has_native_view(MPI_File file) {
  MPI_Offset begin = 0;
  MPI_Datatype types[2] = {};
  char datarep[MPI_MAX_DATAREP_STRING + 1] = {};
  if (pmpi().File_get_view(file, &begin, &types[0], &types[1], datarep) != MPI_SUCCESS) return false;
  for (MPI_Datatype& type : types)
    if (!is_named(type)) pmpi().Type_free(&type);
  return is_native(datarep);
}

}  // namespace

void enter(MPI_File file, int access_mode) {
  add_relaxed(counts.opened, 1);
  auto opened = std::make_unique<OpenFile>(access_mode, component_of(file));
  if (open_files().insert(key_of(file), std::move(opened)) == nullptr) open_now.fetch_add(1, std::memory_order_relaxed);
}

void note_view(MPI_File file, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep) {
  OpenFile* const open = find(file);
  const MPI_Datatype none = predefined().type_null;
  if (open == nullptr || etype == none || filetype == none) return;
  const Pmpi& p = pmpi();
  MPI_Count size = 0, size_of_all = 0;
  MPI_Aint least = 0, extent = 0;
  const bool is_known = p.Type_size_x(etype, &size) == MPI_SUCCESS && size > 0 &&
                        p.Type_size_x(filetype, &size_of_all) == MPI_SUCCESS &&
                        p.Type_get_extent(filetype, &least, &extent) == MPI_SUCCESS;
  open->is_native = is_known && (datarep != nullptr ? is_native(datarep) : has_native_view(file));
  open->etype_size = is_known ? size : 1;
  open->view_has_gaps = size_of_all != extent;
  open->view_is_plain = is_known && size_of_all == extent && is_named(filetype);
}

void forget(MPI_File file) {
  if (open_files().extract(key_of(file)) == nullptr) return;
  if (open_now.fetch_sub(1, std::memory_order_relaxed) == 1) PackedCopy::free_unused_memory();
}

OpenFile* find(MPI_File file) { return open_files().find(key_of(file)); }

}  // namespace marshal::files
