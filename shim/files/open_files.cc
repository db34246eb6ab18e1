#include "files/open_files.h"

#include <dlfcn.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
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

bool has_hint(MPI_Info info, const char* key, std::string_view value) {
  constexpr int longest = 255;
  char text[longest + 1] = {};
  int found = 0;
  return info != predefined().info_null && pmpi().Info_get(info, key, longest, text, &found) == MPI_SUCCESS &&
         found != 0 && text == value;
}

#ifdef MARSHAL_HOST_OPENMPI
// Open MPI tells by no call which of its components has a file: its MPI_File_get_info knows no hints of ROMIO's. The
// handle points to a structure that has the functions of the component among its first 64 words. Each component is a
// library; one that is a part of libmpi stays unknown.
Component component_of(MPI_File file) {
  std::array<const void*, 64> words;
  std::memcpy(words.data(), static_cast<const void*>(file), sizeof words);
  for (const void* const word : words) {
    Dl_info place;
    if (dladdr(word, &place) == 0 || place.dli_fname == nullptr) continue;
    const std::string_view path = place.dli_fname, library = path.substr(path.find_last_of('/') + 1);
    if (library.starts_with("mca_io_ompio")) return Component::ompio;
    if (library.starts_with("mca_io_romio")) return Component::romio;
  }
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
  const Pmpi& p = pmpi();
  counts.opened += 1;
  MPI_Info hints{};
  if (p.File_get_info == nullptr || p.Info_get == nullptr || p.File_get_info(file, &hints) != MPI_SUCCESS) return;
  // Where ROMIO opens a file late in some processes, or never, its size may not be had.
  const bool opens_late = has_hint(hints, "romio_no_indep_rw", "true");
  p.Info_free(&hints);
  auto opened = std::make_unique<OpenFile>(access_mode, component_of(file), !opens_late);
  if (open_files().insert(key_of(file), std::move(opened)) == nullptr) open_now.fetch_add(1, std::memory_order_relaxed);
}

void note_view(MPI_File file, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep) {
  OpenFile* const open = find(file);
  if (open == nullptr) return;
  const Pmpi& p = pmpi();
  MPI_Count size = 0, size_of_all = 0, first = 0, span = 0;
  MPI_Aint least = 0, extent = 0;
  const bool is_known = p.Type_size_x(etype, &size) == MPI_SUCCESS && size > 0 &&
                        p.Type_size_x(filetype, &size_of_all) == MPI_SUCCESS &&
                        p.Type_get_true_extent_x(etype, &first, &span) == MPI_SUCCESS &&
                        p.Type_get_extent(filetype, &least, &extent) == MPI_SUCCESS;
  open->is_native = is_known && (datarep != nullptr ? is_native(datarep) : has_native_view(file));
  open->etype_size = is_known ? size : 1;
  open->etype_end = std::max<MPI_Count>(first, 0) + span;
  open->view_has_gaps = size_of_all != extent;
}

void forget(MPI_File file) {
  if (open_files().extract(key_of(file)) == nullptr) return;
  if (open_now.fetch_sub(1, std::memory_order_relaxed) == 1) PackedCopy::free_unused_memory();
}

OpenFile* find(MPI_File file) { return open_files().find(key_of(file)); }

}  // namespace marshal::files
