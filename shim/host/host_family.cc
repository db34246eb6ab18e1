#include "host/host_family.h"

#include <dlfcn.h>

#include <cstring>

#include "host/next_symbol.h"

namespace marshal {
namespace {

bool starts_with(const char* text, const char* beginning) {
  return std::strncmp(text, beginning, std::strlen(beginning)) == 0;
}

// Words in the version texts of libraries with MPICH's ABI: MPICH ("MPICH Version: …"), Cray ("CRAY MPICH version …"),
// MVAPICH ("MVAPICH2 Version …"), Intel ("Intel(R) MPI Library …"), ParaStation. HPE MPT, say, has an ABI of its own.
constexpr const char* mpich_marks[] = {"MPICH", "MVAPICH", "Intel(R) MPI", "ParaStation"};

// In the order of HostFamily.
constexpr struct {
  const char* name;
  const char* library;
} texts[] = {{"Open MPI", "libmarshal-openmpi.so"},
             {"MPICH", "libmarshal-mpich.so"},
             {"the standard MPI ABI", "libmarshal-abi.so"},
             {"an unknown MPI", nullptr}};

}  // namespace

const char* family_name(HostFamily family) { return texts[static_cast<int>(family)].name; }
const char* family_library(HostFamily family) { return texts[static_cast<int>(family)].library; }

void read_host_version(HostVersion& version) {
  version.text[0] = '\0';
  int length = 0;
  const auto get = reinterpret_cast<int (*)(char*, int*)>(find_host_symbol("PMPI_Get_library_version"));
  if (get == nullptr || get(version.text, &length) != 0) version.text[0] = '\0';
  version.text[HostVersion::most] = '\0';
}

HostFamily family_of(const char* path, bool has_openmpi_objects, const char* version) {
  const char* slash = std::strrchr(path, '/');
  if (starts_with(slash != nullptr ? slash + 1 : path, "libmpi_abi")) return HostFamily::abi;
  if (has_openmpi_objects) return HostFamily::openmpi;
  for (const char* mark : mpich_marks)
    if (std::strstr(version, mark) != nullptr) return HostFamily::mpich;
  return HostFamily::unknown;
}

HostFamily find_host_family(const HostVersion& version) {
  Dl_info info;
  const void* init = find_host_symbol("PMPI_Init");
  const char* path = init != nullptr && dladdr(init, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
  return family_of(path, find_host_object("ompi_mpi_comm_world") != nullptr, version.text);
}

}  // namespace marshal
