#include "topology/domains.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>

#include "base/dynamic_library.h"
#include "base/immortal.h"
#include "base/split_text.h"

namespace marshal::topology {

namespace {

constexpr std::string_view forms =
    "nodes:N, nodes:A,B,C or cyclic:N, then perhaps a blank and an hwloc synthetic string";

std::int32_t parse_count(std::string_view text, std::string_view all) {
  std::int32_t value = 0;
  if (!read_number(text, value) || value < 1)
    throw std::invalid_argument(
        fmt::format("topology '{}': '{}' is no positive number; expected {}", all, text, forms));
  return value;
}

}  // namespace

PlacementDescription parse_placement(std::string_view text) {
  PlacementDescription description;
  const auto blank = text.find_first_of(" \t");
  const std::string_view placement = text.substr(0, blank);
  if (blank != std::string_view::npos)
    if (const auto inside = text.find_first_not_of(" \t", blank); inside != std::string_view::npos)
      description.inside = text.substr(inside);
  const auto colon = placement.find(':');
  const std::string_view kind = placement.substr(0, colon);
  if (colon == std::string_view::npos || (kind != "nodes" && kind != "cyclic"))
    throw std::invalid_argument(fmt::format("topology '{}': expected {}", text, forms));
  std::vector<std::int32_t> numbers;
  for (const std::string_view number : split(placement.substr(colon + 1), ','))
    numbers.push_back(parse_count(number, text));
  description.cyclic = kind == "cyclic";
  if (numbers.size() == 1) {
    description.nodes = numbers[0];
  } else if (description.cyclic) {
    throw std::invalid_argument(fmt::format("topology '{}': cyclic takes one number of nodes", text));
  } else {
    description.nodes = static_cast<std::int32_t>(numbers.size());
    description.sizes = std::move(numbers);
  }
  return description;
}

std::vector<std::int32_t> node_of_rank(const PlacementDescription& description, std::int32_t ranks) {
  std::vector<std::int32_t> nodes;
  nodes.reserve(static_cast<std::size_t>(ranks));
  if (description.cyclic) {
    for (std::int32_t rank = 0; rank < ranks; ++rank) nodes.push_back(rank % description.nodes);
    return nodes;
  }
  const auto room = std::accumulate(description.sizes.begin(), description.sizes.end(), std::int64_t{0});
  if (!description.sizes.empty() && room < ranks)
    throw std::invalid_argument(
        fmt::format("topology: the nodes described hold {} processes, the job has {}", room, ranks));
  for (std::int32_t node = 0; node < description.nodes; ++node) {
    const std::int32_t size = description.sizes.empty()
                                  ? ranks / description.nodes + (node < ranks % description.nodes ? 1 : 0)
                                  : description.sizes[static_cast<std::size_t>(node)];
    for (std::int32_t i = 0; i < size && std::ssize(nodes) < ranks; ++i) nodes.push_back(node);
  }
  return nodes;
}

namespace {

// hwloc, loaded when it is first needed: Marshal's library does not depend on it.
struct Hwloc {
  DynamicLibrary library{"libhwloc.so.15"};  // the name of all of hwloc 2
#define MARSHAL_HWLOC(name) decltype(&hwloc_##name) name = found<decltype(hwloc_##name)>("hwloc_" #name)
  MARSHAL_HWLOC(get_api_version);
  MARSHAL_HWLOC(topology_init);
  MARSHAL_HWLOC(topology_set_synthetic);
  MARSHAL_HWLOC(topology_load);
  MARSHAL_HWLOC(topology_destroy);
  MARSHAL_HWLOC(get_type_depth);
  MARSHAL_HWLOC(get_nbobjs_by_depth);
  MARSHAL_HWLOC(get_obj_by_depth);
  MARSHAL_HWLOC(bitmap_alloc);
  MARSHAL_HWLOC(bitmap_free);
  MARSHAL_HWLOC(bitmap_set);
  MARSHAL_HWLOC(bitmap_isincluded);
#undef MARSHAL_HWLOC

  template <class Function>
  Function* found(const char* symbol) {
    Function* function = nullptr;
    library.find(symbol, function);
    return function;
  }

  // Empty: it can be used.
  std::string problem() const {
    constexpr std::string_view so = ": Marshal does not see the inside of nodes";
    if (!library.is_loaded()) return fmt::format("hwloc is not installed (libhwloc.so.15){}", so);
    if (library.missing() != nullptr) return fmt::format("hwloc lacks {}{}", library.missing(), so);
    if (get_api_version() >> 16 == HWLOC_API_VERSION >> 16) return {};
    return fmt::format("hwloc is of another version than Marshal was built for{}", so);
  }
};

// Thread safe; loads once.
const Hwloc& loaded_hwloc() {
  static const Immortal<Hwloc> hwloc;
  return *hwloc;
}

struct LevelKind {
  const char* name;
  hwloc_obj_type_t type;
};
constexpr LevelKind kinds[] = {{"package", HWLOC_OBJ_PACKAGE}, {"numa", HWLOC_OBJ_NUMANODE}, {"l3", HWLOC_OBJ_L3CACHE}};

using Topology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

// Null if that fails; `problem` then says why.
Topology load_topology(const Hwloc& hwloc, const std::string* synthetic, std::string& problem) {
  Topology none(nullptr, hwloc.topology_destroy);
  problem = hwloc.problem();
  if (!problem.empty()) return none;
  hwloc_topology_t raw = nullptr;
  if (hwloc.topology_init(&raw) != 0) {
    problem = "hwloc cannot make a topology: Marshal does not see the inside of nodes";
    return none;
  }
  Topology topology(raw, hwloc.topology_destroy);
  if (synthetic != nullptr && hwloc.topology_set_synthetic(raw, synthetic->c_str()) != 0) {
    problem = fmt::format("hwloc does not understand '{}' as a synthetic topology", *synthetic);
    return none;
  }
  if (hwloc.topology_load(raw) != 0) {
    problem = "hwloc cannot read this machine's topology: Marshal does not see the inside of nodes";
    return none;
  }
  return topology;
}

// All objects of one kind.
std::vector<hwloc_obj_t> objects(const Hwloc& hwloc, hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> list;
  const int depth = hwloc.get_type_depth(topology, type);
  if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE) return list;
  const unsigned count = hwloc.get_nbobjs_by_depth(topology, depth);
  for (unsigned i = 0; i < count; ++i) list.push_back(hwloc.get_obj_by_depth(topology, depth, i));
  return list;
}

bool tells_apart_and_joins(const std::vector<std::int32_t>& domain_of) {
  const std::set<std::int32_t> different(domain_of.begin(), domain_of.end());
  return different.size() > 1 && different.size() < domain_of.size();
}

Domains divide(const Hwloc& hwloc, hwloc_topology_t topology, std::span<const Cpus> processes,
               std::span<const std::string> wanted) {
  Domains domains;
  for (const LevelKind& kind : kinds) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), kind.name) == wanted.end()) continue;
    const auto list = objects(hwloc, topology, kind.type);
    DomainLevel level{kind.name, {}};
    for (const Cpus& cpus : processes) {
      Bitmap bound(hwloc.bitmap_alloc(), hwloc.bitmap_free);
      for (const int cpu : cpus) hwloc.bitmap_set(bound.get(), static_cast<unsigned>(cpu));
      std::int32_t domain = -1;
      for (std::size_t i = 0; i < list.size() && domain < 0 && !cpus.empty(); ++i)
        if (hwloc.bitmap_isincluded(bound.get(), list[i]->cpuset) != 0) domain = static_cast<std::int32_t>(i);
      level.domain_of.push_back(domain);
    }
    // A level equal to the one around it adds nothing.
    const bool new_level = domains.levels.empty() || domains.levels.back().domain_of != level.domain_of;
    if (tells_apart_and_joins(level.domain_of) && new_level) domains.levels.push_back(std::move(level));
  }
  return domains;
}

}  // namespace

Cpus own_cpus() {
  // If the machine has more processing units than a cpu_set_t holds, the kernel answers EINVAL, and a larger set is
  // needed.
  Cpus cpus;
  for (int count = CPU_SETSIZE; count <= 64 * CPU_SETSIZE; count *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(count));
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(count));
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const std::size_t allowed = known ? static_cast<std::size_t>(CPU_COUNT_S(bytes, set)) : 0;
    for (int cpu = 0; cpus.size() < allowed; ++cpu)
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set)) cpus.push_back(cpu);
    CPU_FREE(set);
    if (known) break;
  }
  return cpus;
}

Domains domains_of(std::span<const Cpus> processes, std::span<const std::string> wanted) {
  Domains domains;
  const Hwloc& hwloc = loaded_hwloc();
  const Topology topology = load_topology(hwloc, nullptr, domains.problem);
  return topology ? divide(hwloc, topology.get(), processes, wanted) : domains;
}

Domains synthetic_domains(const std::string& description, std::int32_t processes, std::span<const std::string> wanted) {
  Domains domains;
  const Hwloc& hwloc = loaded_hwloc();
  const Topology topology = load_topology(hwloc, &description, domains.problem);
  if (!topology) return domains;
  const auto units = objects(hwloc, topology.get(), HWLOC_OBJ_PU);
  std::vector<Cpus> bound;
  for (std::int64_t i = 0; i < processes; ++i)
    bound.push_back({static_cast<int>(units[static_cast<std::size_t>(i * std::ssize(units) / processes)]->os_index)});
  return divide(hwloc, topology.get(), bound, wanted);
}

}  // namespace marshal::topology
