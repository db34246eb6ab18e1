#include "tools/switches.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/small_file.h"
#include "topology/switch_tree.h"

namespace marshal::tools {

std::vector<mapping::NodeLevel> levels_in_file(const std::string& path, std::span<const std::string> nodes) {
  std::string text;
  if (const std::string why = read_small_file_or_pipe(path, text); !why.empty())
    throw std::invalid_argument(fmt::format("{}: {}", path, why));
  std::vector<mapping::NodeLevel> levels;
  for (topology::SwitchLevel& level : topology::SwitchTree(text, path).levels_above(nodes))
    levels.push_back({topology::name_of_level(level.level), std::move(level.domain_of_node)});
  return levels;
}

}  // namespace marshal::tools
