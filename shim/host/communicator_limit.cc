#include "host/communicator_limit.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace marshal {
namespace {

struct KnownVersion {
  std::string_view in_text;
  CommunicatorLimit limit;
};

// Measured, or read in the error "Too many communicators (0/2048 free on this process)" of that library. MPICH 4.0 has
// a tab in its text, 4.2 has six spaces.
constexpr std::array<KnownVersion, 5> known_versions{{{"CRAY MPICH version 8", {4096, 4, "Cray MPICH"}},
                                                      {"Intel(R) MPI Library 2017", {16384, 4, "Intel MPI"}},
                                                      {"MPICH Version:\t3.", {2048, 4, "MPICH"}},
                                                      {"MPICH Version:\t4.", {2048, 3, "MPICH"}},
                                                      {"MPICH Version:      4.", {2048, 3, "MPICH"}}}};

// The beginning of Open MPI 4's mca_pml_base_module_t.
struct PmlModule {
  void* functions[21];
  std::uint32_t most_context_ids;
  std::int32_t most_tag;
};

}  // namespace

CommunicatorLimit limit_of_version(std::string_view version) {
  for (const KnownVersion& known : known_versions)
    if (version.find(known.in_text) != std::string_view::npos) return known.limit;
  return {};
}

CommunicatorLimit limit_of_openmpi(std::string_view version, const void* pml, int tag_ub) {
  if (!version.starts_with("Open MPI v4.") || pml == nullptr) return {};
  PmlModule module;
  std::memcpy(&module, pml, sizeof module);
  constexpr std::uint32_t least = 256;
  if (module.most_tag != tag_ub || module.most_context_ids < least) return {};
  // MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL and Marshal's own have one each.
  return {module.most_context_ids, 4, "Open MPI"};
}

}  // namespace marshal
