#include "topology/hwloc_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <type_traits>

namespace marshal::topology {
namespace {

HwlocLibrary load() {
  HwlocLibrary library;
  void* handle = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);  // the name of all of hwloc 2
  if (handle == nullptr) {
    library.problem = "hwloc is not installed (libhwloc.so.15): the inside of nodes is not looked at";
    return library;
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr && library.problem.empty())
      library.problem = fmt::format("hwloc lacks {}: the inside of nodes is not looked at", name);
  };
  find(library.get_api_version, "hwloc_get_api_version");
  find(library.topology_init, "hwloc_topology_init");
  find(library.topology_set_synthetic, "hwloc_topology_set_synthetic");
  find(library.topology_load, "hwloc_topology_load");
  find(library.topology_destroy, "hwloc_topology_destroy");
  find(library.get_type_depth, "hwloc_get_type_depth");
  find(library.get_nbobjs_by_depth, "hwloc_get_nbobjs_by_depth");
  find(library.get_obj_by_depth, "hwloc_get_obj_by_depth");
  find(library.bitmap_alloc, "hwloc_bitmap_alloc");
  find(library.bitmap_free, "hwloc_bitmap_free");
  find(library.bitmap_set, "hwloc_bitmap_set");
  find(library.bitmap_isincluded, "hwloc_bitmap_isincluded");
  if (library.problem.empty() && library.get_api_version() >> 16 != HWLOC_API_VERSION >> 16)
    library.problem = "hwloc is of another version than Marshal was built for: the inside of nodes is not looked at";
  return library;
}

}  // namespace

const HwlocLibrary& hwloc_library() {
  static const HwlocLibrary& library = *new HwlocLibrary(load());  // needed until the very end
  return library;
}

}  // namespace marshal::topology
