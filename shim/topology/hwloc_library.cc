#include "topology/hwloc_library.h"

#include <fmt/format.h>

#include "base/dynamic_library.h"
#include "base/immortal.h"

namespace marshal::topology {
namespace {

HwlocLibrary load() {
  HwlocLibrary library;
  DynamicLibrary file{"libhwloc.so.15"};  // the name of all of hwloc 2
  if (!file.is_loaded()) {
    library.problem = "hwloc is not installed (libhwloc.so.15): Marshal does not see the inside of nodes";
    return library;
  }
  file.find("hwloc_get_api_version", library.get_api_version);
  file.find("hwloc_topology_init", library.topology_init);
  file.find("hwloc_topology_set_synthetic", library.topology_set_synthetic);
  file.find("hwloc_topology_load", library.topology_load);
  file.find("hwloc_topology_destroy", library.topology_destroy);
  file.find("hwloc_get_type_depth", library.get_type_depth);
  file.find("hwloc_get_nbobjs_by_depth", library.get_nbobjs_by_depth);
  file.find("hwloc_get_obj_by_depth", library.get_obj_by_depth);
  file.find("hwloc_bitmap_alloc", library.bitmap_alloc);
  file.find("hwloc_bitmap_free", library.bitmap_free);
  file.find("hwloc_bitmap_set", library.bitmap_set);
  file.find("hwloc_bitmap_isincluded", library.bitmap_isincluded);
  if (file.missing() != nullptr)
    library.problem = fmt::format("hwloc lacks {}: Marshal does not see the inside of nodes", file.missing());
  else if (library.get_api_version() >> 16 != HWLOC_API_VERSION >> 16)
    library.problem =
        "hwloc is of another version than Marshal was built for: Marshal does not see the inside of nodes";
  return library;
}

}  // namespace

const HwlocLibrary& hwloc_library() {
  static const Immortal<HwlocLibrary> library(load());
  return *library;
}

}  // namespace marshal::topology
