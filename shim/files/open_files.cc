#include "files/open_files.h"

#include <strings.h>

#include <atomic>
#include <memory>
#include <string_view>

#include "base/immortal.h"
#include "base/registry.h"
#include "files/file_counts.h"
#include "host/handles.h"
#include "host/implementation.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "types/type_reader.h"

namespace marshal::files {
namespace {

Registry<OpenFile>& open_files() {
  static Immortal<Registry<OpenFile>> the;
  return *the;
}

std::atomic<std::int64_t> open_now{0};

int romio_keys(MPI_Info info) {
  const Pmpi& p = pmpi();
  int keys = 0, found = 0;
  if (info == predefined().info_null || p.Info_get_nkeys(info, &keys) != MPI_SUCCESS) return 0;
  for (int i = 0; i < keys; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = {};
    if (p.Info_get_nthkey(info, i, key) == MPI_SUCCESS && std::string_view(key).starts_with("romio_")) ++found;
  }
  return found;
}

// ROMIO, which is in every MPICH and a component of Open MPI, adds hints of its own to those that the file is opened
// with. OMPIO keeps the program's.
bool is_by_romio(MPI_File file, MPI_Info given) {
  const Pmpi& p = pmpi();
  MPI_Info info{};
  if (p.File_get_info == nullptr || p.Info_get_nkeys == nullptr || p.Info_get_nthkey == nullptr ||
      p.Info_free == nullptr || p.File_get_info(file, &info) != MPI_SUCCESS)
    return !is_open_mpi();
  const bool has_more = romio_keys(info) > romio_keys(given);
  p.Info_free(&info);
  return has_more || !is_open_mpi();
}

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

void enter(MPI_File file, int access_mode, MPI_Info hints) {
  auto opened = std::make_unique<OpenFile>(access_mode, is_by_romio(file, hints));
  open_now.fetch_add(1, std::memory_order_relaxed);
  counts.opened += 1;
  if (open_files().insert(key_of(file), std::move(opened)) != nullptr) open_now.fetch_sub(1, std::memory_order_relaxed);
}

void note_view(MPI_File file, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep) {
  OpenFile* const open = find(file);
  if (open == nullptr) return;
  const Pmpi& p = pmpi();
  MPI_Count size = 0, size_of_all = 0;
  MPI_Aint least = 0, extent = 0;
  const bool is_known = p.Type_size_x(etype, &size) == MPI_SUCCESS && size > 0 &&
                        p.Type_size_x(filetype, &size_of_all) == MPI_SUCCESS &&
                        p.Type_get_extent(filetype, &least, &extent) == MPI_SUCCESS;
  open->is_native = is_known && (datarep != nullptr ? is_native(datarep) : has_native_view(file));
  open->etype_size = is_known ? size : 1;
  open->view_has_gaps = size_of_all != extent;
}

void forget(MPI_File file) {
  if (open_files().extract(key_of(file)) == nullptr) return;
  if (open_now.fetch_sub(1, std::memory_order_relaxed) == 1) PackedCopy::free_unused_memory();
}

OpenFile* find(MPI_File file) { return open_files().find(key_of(file)); }

}  // namespace marshal::files
