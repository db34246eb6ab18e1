#include "record/record.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "record/object_site.h"

namespace marshal::report {
namespace {

void append(std::string& bytes, std::uint64_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append(std::string& bytes, const CallSite& site) {
  bytes += site.call;
  for (const Frame& frame : site.frames) {
    bytes.push_back('\0');
    bytes += frame.module;
    append(bytes, frame.offset);
    if (!frame.is_python()) continue;
    bytes += frame.function;
    append(bytes, frame.line);
  }
}

}  // namespace

template class BoundedTable<std::string, CallCount, most_calls>;
template class BoundedTable<CallSite, CommunicatorSite, most_sites>;
template class BoundedTable<CallSite, ObjectSite, most_sites>;
template class BoundedTable<GridKey, Grid, most_grids>;
template class BoundedTable<LayoutKey, DatatypeLayout, most_layouts>;
template class BoundedTable<std::string, Warning, most_warnings>;
template class BoundedTable<std::string, Counter, most_counters>;
template class BoundedTable<PlaceKey, PlaceTime, most_places>;
template class BoundedTable<std::string, RegionTime, most_regions>;

Record::Record() = default;
Record::Record(const Record&) = default;
Record::Record(Record&&) noexcept = default;
Record& Record::operator=(const Record&) = default;
Record& Record::operator=(Record&&) noexcept = default;
Record::~Record() = default;
bool Record::operator==(const Record&) const = default;

void Record::warn(const std::string& text) { warnings[text].merge({1, ranks.lowest()}); }

std::uint64_t hash_of(const CallSite& site) {
  std::string bytes;
  append(bytes, site);
  return hash_of(std::string_view(bytes));
}

std::uint64_t hash_of(const PlaceKey& key) {
  std::string bytes;
  append(bytes, key.site);
  bytes.push_back('\0');
  append(bytes, key.communicator);
  return hash_of(std::string_view(bytes));
}

std::uint64_t hash_of(const GridKey& key) {
  std::string bytes = key.mapper;
  append(bytes, key.site);
  for (const auto* numbers : {&key.dims, &key.periodic}) {
    append(bytes, numbers->size());
    for (const std::uint64_t number : *numbers) append(bytes, number);
  }
  bytes.push_back(key.moved ? '\1' : '\0');
  return hash_of(std::string_view(bytes));
}

std::string dims_text(const GridKey& key, const char* by) {
  return key.dims.empty() ? "graph" : fmt::format("{}", fmt::join(key.dims, by));
}

std::uint64_t hash_of(const LayoutKey& key) { return key.hash != 0 ? key.hash : hash_of(std::string_view(key.form)); }

std::string place_text(const CallSite& site) {
  return site.frames.empty() ? std::string() : place_text(site.frames.front());
}

std::string name_or_place(const std::string& symbol, const CallSite& site) {
  return symbol.empty() ? place_text(site) : symbol;
}

std::string place_text(const Frame& frame) {
  const std::string file = frame.module.substr(frame.module.find_last_of('/') + 1);
  if (frame.is_python()) return fmt::format("{}:{} in {}", file, frame.line, frame.function);
  return fmt::format("{}+{:#x}", file, frame.offset);
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> node_runs(const std::vector<std::uint32_t>& node_of_cell) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
  for (const std::uint32_t node : node_of_cell) {
    if (!runs.empty() && runs.back().first == node) {
      ++runs.back().second;
      continue;
    }
    if (runs.size() == most_node_runs) return {};
    runs.emplace_back(node, 1);
  }
  return runs;
}

void Grid::merge(const Grid& other) {
  GridTraffic sent = traffic;
  sent.merge(other.traffic);
  merge_example(other);
  traffic = std::move(sent);
}

void Grid::merge_example(const Grid& other) {
  if (other.made == 0) return;
  const std::uint64_t both = made + other.made;
  Spread times = mapping_ns;
  times.merge(other.mapping_ns);
  const std::string name = preferred(symbol, other.symbol);
  // Grids of one key may lie on different nodes: the report shows the least of them, in any order of merging.
  const auto example = [](const Grid& grid) {
    return std::tie(grid.processes, grid.nodes, grid.moved_ranks, grid.before, grid.after, grid.above, grid.lower_bound,
                    grid.stencil, grid.weights, grid.learned_from, grid.jsum_by_mapper, grid.reason);
  };
  if (made == 0 || example(other) < example(*this)) *this = other;
  made = both;
  mapping_ns = times;
  symbol = name;
}

bool DatatypeLayout::may_be_shown_for(const DatatypeLayout& others) const {
  const auto layout = [](const DatatypeLayout& of) { return std::tie(of.size, of.blocks, of.extent, of.lower_bound); };
  return layout(*this) >= layout(others);
}

void DatatypeLayout::merge(const DatatypeLayout& other) {
  const auto layout = [](const DatatypeLayout& of) {
    return std::tie(of.size, of.blocks, of.extent, of.lower_bound, of.picture);
  };
  if (layout(*this) < layout(other)) {  // one layout a key; `others` shows the largest of its layouts
    size = other.size;
    blocks = other.blocks;
    extent = other.extent;
    lower_bound = other.lower_bound;
    picture = other.picture;
  }
  commits += other.commits;
  merge_field(plans, other.plans);
  segment = std::max(segment, other.segment);
  pack.merge(other.pack);
  unpack.merge(other.unpack);
  sent.merge(other.sent);
  received.merge(other.received);
  touched_bound_bytes_per_s = std::max(touched_bound_bytes_per_s, other.touched_bound_bytes_per_s);
  if (site.frames.empty() || (!other.site.frames.empty() && other.site < site)) site = other.site;
  symbol = preferred(symbol, other.symbol);
}

void DatatypeLayout::set_bound(double estimated_bytes_per_s) {
  const double fastest =
      std::max({estimated_bytes_per_s, pack.rate(), unpack.rate(), pack.host_rate(), unpack.host_rate()});
  touched_bound_bytes_per_s = static_cast<std::uint64_t>(std::ceil(fastest));
}

void Counter::merge(const Counter& other) {
  packing += other.packing;
  translation += other.translation;
  processes += other.processes;
  unavailable = std::max(unavailable, other.unavailable);
}

namespace {

std::optional<double> part_of_wall(const OwnCost& own, const Spread& init, const Spread& inside,
                                   const Spread& finalize) {
  const double wall = own.wall_ns.mean() + own.finalize_ns.mean();  // the wall time ends where finalize begins
  if (wall == 0 || inside.samples == 0) return std::nullopt;
  return (init.mean() + inside.mean() + finalize.mean()) / wall;
}

}  // namespace

std::optional<double> OwnCost::share() const { return part_of_wall(*this, init_ns, inside_ns, finalize_ns); }
std::optional<double> OwnCost::cpu_share() const {
  return part_of_wall(*this, init_cpu_ns, inside_cpu_ns, finalize_cpu_ns);
}

void merge(Record& into, const Record& from) {
  const std::uint64_t own = into.ranks.lowest(), other = from.ranks.lowest();
  if (other < own || (other == own && from.job < into.job)) into.job = from.job;
  merge_fields(into, from);
  into.arrivals.merge(from.arrivals);
}

namespace {

struct KindOfObject {
  std::string_view in_call;  // that makes such ones
  std::string_view objects, freed_by;
};

// The first that fits.
constexpr std::array<KindOfObject, 13> kinds{{{nonblocking_calls, "requests", "MPI_Wait, MPI_Test or MPI_Request_free"},
                                              {"_init", "persistent requests", "MPI_Request_free"},
                                              {"MPI_Op_", "operations", "MPI_Op_free"},
                                              {"MPI_Comm_create_keyval", "keyvals", "MPI_Comm_free_keyval"},
                                              {"MPI_Type_create_keyval", "keyvals", "MPI_Type_free_keyval"},
                                              {"MPI_Win_create_keyval", "keyvals", "MPI_Win_free_keyval"},
                                              {"MPI_Keyval_", "keyvals", "MPI_Keyval_free"},
                                              {"_group", "groups", "MPI_Group_free"},
                                              {"MPI_Group_", "groups", "MPI_Group_free"},
                                              {"MPI_Type_", "datatypes", "MPI_Type_free"},
                                              {"MPI_Win_", "windows", "MPI_Win_free"},
                                              {"MPI_File_", "files", "MPI_File_close"},
                                              {"", "communicators", "MPI_Comm_free"}}};

const KindOfObject& object_kind(std::string_view call) {
  // These make communicators.
  if (call.starts_with("MPI_Intercomm_")) return kinds.back();
  if (call.starts_with("MPI_Comm_create_") && call.find("group") != call.npos) return kinds.back();
  return *std::ranges::find_if(kinds, [&](const KindOfObject& kind) { return call.find(kind.in_call) != call.npos; });
}

}  // namespace

void ObjectSite::add_place(std::uint64_t made_there, std::uint64_t alive_there,
                           std::optional<std::uint64_t> most_alive_there) {
  const std::uint64_t made_before = made.sum, alive_before = alive.sum;
  const bool is_first = made.samples == 0;
  made = alive = most_alive = {};
  made.add(made_before + made_there);
  alive.add(alive_before + alive_there);
  if (is_first && most_alive_there) most_alive.add(*most_alive_there);
}

std::string_view objects_of(std::string_view call) { return object_kind(call).objects; }
std::string_view call_that_frees(std::string_view call) { return object_kind(call).freed_by; }

}  // namespace marshal::report
