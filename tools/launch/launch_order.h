// The order of the ranks for a launch: from what a run sent, for the nodes that the launcher will use; and the
// launcher's command with Marshal in front of the programs and with that order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profile/kept_traffic.h"
#include "tools/launch/launcher_command.h"
#include "tools/order/places.h"
#include "tools/order/planned_order.h"

namespace marshal::tools {

// The nodes that a launcher will use, and how many ranks each takes: from its options, else from the batch system.
struct NodeList {
  std::vector<Host> hosts;
  bool has_places = true;   // false: it does not say how many ranks each takes
  bool may_differ = false;  // a node may get fewer or more ranks than it has places
  bool cycles = false;      // ranks that do not fit begin again at the first node
  std::string why_not{};    // the nodes are not known, as a phrase: then there are no hosts
};

// Reads files and variables that the launcher would read. Never throws.
NodeList nodes_of(const LauncherCommand& command);

// Slurm's counts, "4(x3),2" as 4, 4, 4, 2. Throws std::invalid_argument.
std::vector<std::int32_t> expand_counts(std::string_view text);

// The ranks of each node as srun deals them out: in turn, as long as a node has CPUs for one more; then they are
// numbered node by node. More ranks than CPUs go on in turn.
std::vector<std::int32_t> ranks_by_slurm(const std::vector<std::int32_t>& cpus, std::int32_t ranks);

struct LaunchOrder {
  std::string why_not;  // the launcher's order stays, as a phrase; empty: another one is better
  Places places;        // and the launcher's order
  std::vector<std::int32_t> place_of_rank;
  PlannedOrder planned;  // nothing for an order of the user's
};

// Why Marshal may not place the ranks of this command, as a phrase; empty: it may. By the words and variables that the
// user gave, by the nodes, and by what is known of the program.
std::string why_not_by_users_words(const LauncherCommand& command);
std::string why_not_by_nodes(const NodeList& nodes);
std::string why_not_by_run(const LauncherCommand& command, const traffic::Job& measured);

// `nodes` are known. `topology_file`: of the switches above the nodes; empty: none. A wrong one is a line, and none.
// Throws std::invalid_argument for traffic that is too large to add up.
LaunchOrder find_launch_order(const traffic::Matrix& traffic, const NodeList& nodes, const std::string& topology_file);

// Why the order would take longer to start than it is worth, as a phrase; empty: it would not.
std::string why_not_by_start(const LauncherCommand& command, const LaunchOrder& order, const traffic::Job& measured);

// The order that a file names, a host for each rank, one a line; "host:2" is for two. Throws std::invalid_argument, for
// hosts that are not among the nodes, too, where these are known.
LaunchOrder read_launch_order(const std::string& path, std::int32_t ranks, const NodeList& nodes);

struct EditedCommand {
  std::map<std::string, std::string> variables;  // of the environment, for the launcher
  std::vector<std::string> words;
};

// `marshal run` and its options in front of each program.
EditedCommand with_marshal(const LauncherCommand& command, const std::vector<std::string>& run);

// The file that says which host each rank gets, as this launcher reads it.
std::string order_file_text(LauncherKind kind, const LaunchOrder& order, const NodeList& nodes);
// The options that make the launcher read the file, in the place of those that name nodes.
void place_by_file(EditedCommand& edited, const LauncherCommand& command, const std::string& file);

// What `marshal run` binds a rank to where the launcher does not bind in another order: "core", "socket", or nothing.
std::string binding_to_repeat(const LauncherCommand& command, const LaunchOrder& order);

}  // namespace marshal::tools
