// hwloc, loaded when it is first needed: Marshal's library does not depend on it.
#pragma once

#include <hwloc.h>

#include <string>

namespace marshal::topology {

struct HwlocLibrary {
  decltype(&hwloc_get_api_version) get_api_version = nullptr;
  decltype(&hwloc_topology_init) topology_init = nullptr;
  decltype(&hwloc_topology_set_synthetic) topology_set_synthetic = nullptr;
  decltype(&hwloc_topology_load) topology_load = nullptr;
  decltype(&hwloc_topology_destroy) topology_destroy = nullptr;
  decltype(&hwloc_get_type_depth) get_type_depth = nullptr;
  decltype(&hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth = nullptr;
  decltype(&hwloc_get_obj_by_depth) get_obj_by_depth = nullptr;
  decltype(&hwloc_bitmap_alloc) bitmap_alloc = nullptr;
  decltype(&hwloc_bitmap_free) bitmap_free = nullptr;
  decltype(&hwloc_bitmap_set) bitmap_set = nullptr;
  decltype(&hwloc_bitmap_isincluded) bitmap_isincluded = nullptr;

  std::string problem;  // why it cannot be used; empty: it can
};

// Thread safe; loads once.
const HwlocLibrary& hwloc_library();

}  // namespace marshal::topology
