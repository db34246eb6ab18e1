// Cartesian grids (and graph topologies) as Marshal mapped them. Rank 0 of the new communicator records them. Only
// their traffic comes from each of their processes.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "record/call_site.h"
#include "record/fields.h"
#include "record/traffic.h"

namespace marshal::report {

struct GridKey {
  CallSite site{};
  std::vector<std::uint64_t> dims{};      // empty for a graph
  std::vector<std::uint64_t> periodic{};  // 0 or 1 each
  std::string mapper{};                   // "search"; "off" if no order was looked for
  bool moved = false;                     // whether processes were reordered

  MARSHAL_FIELDS(site, dims, periodic, mapper, moved);
  auto operator<=>(const GridKey&) const = default;
};
std::uint64_t hash_of(const GridKey& key);
// "4x4", or "graph".
std::string dims_text(const GridKey& key, const char* by = "x");

// The field's measures of one order of the processes.
struct GridMetrics {
  double jsum = 0;                  // directed neighbour pairs on different nodes, weighted
  double jmax = 0;                  // the largest sum that leaves one node
  Spread on_node{};                 // partners of a process on its own node, a sample a process
  Spread off_node{};                // partners on other nodes
  double predicted_exchange_s = 0;  // a halo exchange by the max-rate model: a prediction; 0: none made
  std::string limited_by{};         // "network" or "processes": the predicted limit; empty: none made
  // Runs of equal nodes along the cells in row-major order: (node, cells). Empty: too many to keep.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> node_runs{};

  MARSHAL_NAMED_FIELDS("jsum, jmax, on_node_partners, off_node_partners, predicted_exchange_s, limited_by, node_runs",
                       jsum, jmax, on_node, off_node, predicted_exchange_s, limited_by, node_runs);
  auto operator<=>(const GridMetrics&) const = default;
};
// Grids with more runs than this keep no picture.
inline constexpr std::size_t most_node_runs = 6000;
// node_of_cell (row-major) as runs; empty when there would be more than most_node_runs.
std::vector<std::pair<std::uint64_t, std::uint64_t>> node_runs(const std::vector<std::uint32_t>& node_of_cell);

// The weight that crosses a level above the nodes, as jsum counts: in the given order, and in the order in force.
struct LevelWeights {
  double before = 0, after = 0;
  MARSHAL_FIELDS(before, after);
  auto operator<=>(const LevelWeights&) const = default;
};

struct Grid {
  std::uint64_t made = 0;       // grids with this key
  std::uint64_t processes = 0;  // of one such grid
  std::uint64_t nodes = 0;
  std::uint64_t moved_ranks = 0;                          // of one such grid
  GridMetrics before{}, after{};                          // of one such grid: the given order, and the order in force
  std::map<std::string, LevelWeights> above{};            // by the name of a level above the nodes: "switches"
  double lower_bound = 0;                                 // of jsum (Loomis and Whitney); 0: none known
  std::string stencil{};                                  // as text: "star"
  std::string weights{};                                  // "learned", "unknown" (equal ones assumed), "equal", "8,1"
  std::string learned_from{};                             // the run that taught them; empty: none did
  std::map<std::string, std::uint64_t> jsum_by_mapper{};  // the least that each reached; empty: nothing was looked for
  std::string reason{};  // why processes stayed, or what the mapper could not do; empty: nothing to say
  Spread mapping_ns{};   // time of the mapper, a sample a grid
  std::string symbol{};
  GridTraffic traffic{};

  MARSHAL_FIELDS(symbol, made, processes, nodes, moved_ranks, before, after, above, lower_bound, stencil, weights,
                 learned_from, jsum_by_mapper, reason, mapping_ns, traffic);
  void merge(const Grid& other);
  auto operator<=>(const Grid&) const = default;

 private:
  void merge_example(const Grid& other);
};

}  // namespace marshal::report
