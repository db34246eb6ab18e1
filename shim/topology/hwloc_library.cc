#include "topology/hwloc_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/dynamic_symbol.h"

namespace marshal::topology {
namespace {

HwlocLibrary load() {
  HwlocLibrary library;
  void* handle = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);  // the name of all of hwloc 2
  if (handle == nullptr) {
    library.problem = "hwloc is not installed (libhwloc.so.15): the inside of nodes is not looked at";
    return library;
  }
  const auto find = [&](const char* name, auto& function) {
    if (!find_symbol(handle, name, function) && library.problem.empty())
      library.problem = fmt::format("hwloc lacks {}: the inside of nodes is not looked at", name);
  };
  find("hwloc_get_api_version", library.get_api_version);
  find("hwloc_topology_init", library.topology_init);
  find("hwloc_topology_set_synthetic", library.topology_set_synthetic);
  find("hwloc_topology_load", library.topology_load);
  find("hwloc_topology_destroy", library.topology_destroy);
  find("hwloc_get_type_depth", library.get_type_depth);
  find("hwloc_get_nbobjs_by_depth", library.get_nbobjs_by_depth);
  find("hwloc_get_obj_by_depth", library.get_obj_by_depth);
  find("hwloc_bitmap_alloc", library.bitmap_alloc);
  find("hwloc_bitmap_free", library.bitmap_free);
  find("hwloc_bitmap_set", library.bitmap_set);
  find("hwloc_bitmap_isincluded", library.bitmap_isincluded);
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
