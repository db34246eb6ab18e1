#include "host/surroundings.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

#include "host/next_symbol.h"

extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;

namespace marshal {
namespace {

// A symbol that only Marshal has.
constexpr const char* own_symbol = "marshal_node";

bool find_module(const void* address, Dl_info& module) {
  return address != nullptr && dladdr(address, &module) != 0 && module.dli_fname != nullptr;
}

const char* file_name_of(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

struct MpiLibraries {
  static constexpr std::size_t most = 16;
  const char* paths[most];
  std::size_t count = 0;
};

int note_mpi_library(dl_phdr_info* module, std::size_t, void* data) {
  auto& found = *static_cast<MpiLibraries*>(data);
  const bool is_mpi = std::strncmp(file_name_of(module->dlpi_name), "libmpi", 6) == 0;
  if (is_mpi && found.count < MpiLibraries::most) found.paths[found.count++] = module->dlpi_name;
  return 0;
}

// PMPI_Initialized of the first MPI library that the whole program sees, or null.
void* find_initialized() {
  constexpr const char* symbol = "PMPI_Initialized";
  void* const initialized = dlsym(RTLD_DEFAULT, symbol);
  return initialized != nullptr ? initialized : find_host_symbol(symbol);
}

bool is_initialised(void* initialized) {
  int flag = 0;
  return reinterpret_cast<int (*)(int*)>(initialized)(&flag) == 0 && flag != 0;
}

// An initialised MPI library that only a part of the program sees, as python's ctypes opens libraries; else null.
const char* initialised_by_part() {
  MpiLibraries libraries;
  dl_iterate_phdr(note_mpi_library, &libraries);
  for (std::size_t i = 0; i < libraries.count; ++i) {
    void* library = dlopen(libraries.paths[i], RTLD_LAZY | RTLD_NOLOAD);
    void* initialized = library != nullptr ? dlsym(library, "PMPI_Initialized") : nullptr;
    if (initialized != nullptr && is_initialised(initialized)) return libraries.paths[i];
    if (library != nullptr) dlclose(library);
  }
  return nullptr;
}

// The MPI library that was initialised; null if none was. One that can be asked without dlopen() is not opened: at exit
// its destructors may have run, and glibc's dlopen() would run its constructors, and those of what it needs, once more.
const char* initialised_library() {
  void* const initialized = find_initialized();
  if (initialized == nullptr) return initialised_by_part();
  Dl_info module;
  return find_module(initialized, module) && is_initialised(initialized) ? module.dli_fname : nullptr;
}

}  // namespace

const char* marshal_behind() {
  Dl_info module;
  return find_module(dlsym(RTLD_NEXT, own_symbol), module) ? module.dli_fname : nullptr;
}

bool is_marshal_in_front() {
  Dl_info module;
  return find_module(dlsym(RTLD_DEFAULT, own_symbol), module) && module.dli_fbase != &__ehdr_start;
}

bool has_mpi_library() {
  MpiLibraries libraries;
  dl_iterate_phdr(note_mpi_library, &libraries);
  return libraries.count != 0 || find_initialized() != nullptr;
}

bool mpi_began_unseen(char* why, std::size_t room) {
  const char* library = initialised_library();
  if (library == nullptr) return false;
  Dl_info first, marshal;
  const bool any_first = find_module(dlsym(RTLD_DEFAULT, "MPI_Init"), first);
  const bool is_marshal =
      any_first && find_module(dlsym(RTLD_DEFAULT, own_symbol), marshal) && marshal.dli_fbase == first.dli_fbase;
  const bool is_host = any_first && std::strcmp(file_name_of(first.dli_fname), file_name_of(library)) == 0;
  if (!any_first || is_marshal)
    std::snprintf(why, room,
                  "the program looked MPI's functions up in %s itself (dlopen and dlsym, as python's ctypes does)",
                  file_name_of(library));
  else if (is_host)
    std::snprintf(why, room, "%s comes before Marshal; put Marshal first in LD_PRELOAD", file_name_of(library));
  else
    std::snprintf(why, room, "%s stands in front of Marshal and calls %s itself; put Marshal first in LD_PRELOAD",
                  file_name_of(first.dli_fname), file_name_of(library));
  return true;
}

}  // namespace marshal
