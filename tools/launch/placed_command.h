// The launcher's command with Marshal in front of the programs, and with an order of the ranks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/launch/launch_order.h"
#include "tools/launch/launcher_command.h"

namespace marshal::tools {

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
