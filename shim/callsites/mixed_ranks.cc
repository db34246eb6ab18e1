#include "callsites/mixed_ranks.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "callsites/python_place.h"

namespace marshal {
namespace {

// The beginnings of the names of executables and shared libraries.
constexpr std::array<std::string_view, 3> known_beginnings{
    // LAMMPS, "processors * * * map cart/reorder": ProcMap::cart_map asks the grid for the ranks of all cells, and
    // frees the grid. From then on it sends to those ranks in its own communicator (seen in 2022-01-06 and in the
    // sources of 2024).
    "liblammps",
    "lammps",
    "lmp",
};

bool is_of_such_a_module(const void* place) {
  const void* const address = return_address_of(place);
  Dl_info module{};
  if (dladdr(address, &module) == 0 || module.dli_fname == nullptr) return false;
  std::string_view name = module.dli_fname;
  name.remove_prefix(name.find_last_of('/') + 1);
  return std::ranges::any_of(known_beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

}  // namespace

bool mixes_ranks(const CallFrames& frames) { return std::ranges::any_of(frames.span(), is_of_such_a_module); }

}  // namespace marshal
