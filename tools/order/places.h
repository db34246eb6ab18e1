// The places of a job's ranks, and each rank's place without an order of Marshal's. A node has as many places as ranks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/plan_order.h"
#include "traffic/traffic.h"

namespace marshal::tools {

// Reads the hosts for a launcher, and the number of processes on each. Open MPI writes "host slots=4 max_slots=8",
// MPICH's Hydra "host:4", and Slurm "host" once for each process.
struct Host {
  std::string name;
  std::int32_t places = 0;
  bool is_counted = true;  // false: it stands once, without a number of places
  bool returns = false;    // it stands again behind another host
  bool has_more = false;   // another user, port, interface or binding
  bool operator==(const Host&) const = default;
};

// What a launcher takes for one word.
bool is_host_name(std::string_view name);
// The host of each line. Throws as parse_hostfile().
std::vector<Host> parse_host_lines(std::string_view text, const std::string& name);
// A host that stands on several lines has the places of all of them. Throws std::invalid_argument, with a message that
// begins with `name` and the line.
std::vector<Host> parse_hostfile(std::string_view text, const std::string& name);

enum class Given { block, cyclic };

struct Places {
  std::vector<Host> hosts;                  // all places are taken
  bool named = true;                        // whether the hosts' names are real
  std::vector<std::int32_t> given;          // place of each rank; places are numbered node by node
  std::vector<mapping::PlaceLevel> levels;  // inside the nodes, outermost first
  std::vector<mapping::NodeLevel> above;    // above the nodes, outermost first

  std::vector<std::string> names() const;  // of the hosts
  std::vector<std::int32_t> capacity() const;
  std::vector<std::int32_t> nodes_of(std::span<const std::int32_t> place_of_rank) const;
};

// The nodes of the run that the traffic was measured in, as they were.
Places places_of_run(const traffic::Job& job);
// Ranks on these hosts as launchers place them: filled one after the other, or dealt out in turn. Places that no rank
// gets are left out. Throws std::invalid_argument if the ranks do not fit.
Places places_on(std::vector<Host> hosts, std::int32_t ranks, Given given);

// Places for ranks whose nodes are known, by their numbers among the hosts: the k-th rank of a node gets its k-th
// place.
Places places_for(std::vector<Host> hosts, std::span<const std::int32_t> node_of_rank);

// Describes the inside of all nodes by an hwloc synthetic string. Throws std::invalid_argument if hwloc is missing
// or does not understand it.
void describe_inside(Places& places, const std::string& synthetic);

}  // namespace marshal::tools
