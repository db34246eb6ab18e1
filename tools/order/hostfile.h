// Reads the hosts for a launcher, and the number of processes on each. Open MPI writes "host slots=4 max_slots=8",
// MPICH's Hydra "host:4", and Slurm "host" once for each process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace marshal::tools {

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

}  // namespace marshal::tools
