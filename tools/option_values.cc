#include "tools/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "base/options.h"
#include "base/small_file.h"
#include "base/split_text.h"
#include "topology/switch_tree.h"

namespace marshal::tools {

std::vector<int> integers(std::string_view text, char separator, int least, std::string_view option, int most) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, separator)) {
    int number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool is_number = error != std::errc::invalid_argument && end == part.data() + part.size();
    if (!is_number) throw std::invalid_argument(fmt::format("{}: '{}' is no number", option, part));
    if (error == std::errc::result_out_of_range || number < least || number > most)
      throw std::invalid_argument(fmt::format("{}: {} is not from {} to {}", option, part, least, most));
    numbers.push_back(number);
  }
  return numbers;
}

void GridOptions::add_to(CommandLine& line, const OptionRules& of_dims) {
  line.option("--dims", &dims, "dimensions of a grid whose ranks are in row-major order, as 16x16x8", of_dims);
  line.option("--stencil", &stencil, "star, box, hops:N, or offsets as 1,0;-1,0;0,2*3", {.shows_default = true});
  line.option("--weights", &weights, "one weight a dimension, as 8,1 (default: equal)");
  line.option("--periodic", &periodic, "1 or 0 for each dimension, as 1,0, or one for all (default: 0)");
  line.option("--bytes", &bytes, "bytes of a message of weight 1", {.positive = true, .shows_default = true});
}

mapping::Grid GridOptions::grid() const {
  const std::vector<int> lengths = integers(dims, 'x', 0, "--dims");
  std::vector<int> periods(lengths.size(), 0);
  if (!periodic.empty()) {
    periods = integers(periodic, ',', 0, "--periodic", 1);
    if (periods.size() == 1) periods.assign(lengths.size(), periods[0]);
    if (periods.size() != lengths.size())
      throw std::invalid_argument(
          fmt::format("--periodic: {} numbers for {} dimensions", periods.size(), lengths.size()));
  }
  return mapping::make_grid(lengths, periods);
}

mapping::Stencil GridOptions::stencil_of(const mapping::Grid& grid) const {
  return mapping::parse_stencil(stencil, grid.ndims(), mapping::parse_weights(weights, grid.ndims()));
}

void NodeOptions::add_to(CommandLine& line) {
  line.option("--nodes", &nodes, "number of nodes, with --ppn", {.positive = true});
  line.option("--ppn", &per_node, "processes a node", {.positive = true});
  line.option("--sizes", &sizes, "processes of each node, as 24,24,48");
  line.option("--topology-file", &topology_file,
              "the switches above the nodes, as Slurm's topology.conf or lines as switch: node,node", {.type = "FILE"});
}

int NodeOptions::ways() const { return (nodes > 0 || per_node > 0 ? 1 : 0) + (sizes.empty() ? 0 : 1); }

std::vector<int> NodeOptions::places(std::int64_t ranks) const {
  if (!sizes.empty()) return integers(sizes, ',', 1, "--sizes");
  if (per_node < 1) throw std::invalid_argument("--nodes needs --ppn, the processes of a node");
  const std::int64_t count = nodes > 0 ? nodes : (ranks + per_node - 1) / per_node;
  return std::vector<int>(static_cast<std::size_t>(count), per_node);
}

std::string nodes_text(std::span<const std::int32_t> capacity) {
  if (capacity.empty()) return "no nodes";
  const auto [least, most] = std::minmax_element(capacity.begin(), capacity.end());
  return fmt::format("{} nodes of {} processes", capacity.size(),
                     *least == *most ? std::to_string(*least) : fmt::format("{} to {}", *least, *most));
}

std::vector<mapping::NodeLevel> levels_in_file(const std::string& path, std::span<const std::string> nodes) {
  std::string text;
  if (const std::string why = read_small_file_or_pipe(path, text); !why.empty())
    throw std::invalid_argument(fmt::format("{}: {}", path, why));
  std::vector<mapping::NodeLevel> levels;
  for (topology::SwitchLevel& level : topology::SwitchTree(text, path).levels_above(nodes))
    levels.push_back({topology::name_of_level(level.level), std::move(level.domain_of_node)});
  return levels;
}

std::int64_t effort_of(const std::string& text) {
  constexpr OptionRow exchanges{{}, "", OptionKind::integer, "", "", "", "", 0, 1e12};
  OptionValue value;
  if (const std::string why = parse_option(exchanges, text, value); !why.empty())
    throw std::invalid_argument(fmt::format("--effort {}: {}", text, why));
  return value.integer;
}

mapping::Machine Rates::machine() const {
  mapping::Machine machine;
  machine.node_rate = node * 1e9;
  machine.process_rate = process * 1e9;
  return machine;
}

void Rates::add_to(CommandLine& line) {
  line.option("--node-rate", &node, "for the prediction: GB/s that leave a node",
              {.positive = true, .shows_default = true});
  line.option("--process-rate", &process, "for the prediction: GB/s of one process, within its node or to others",
              {.positive = true, .shows_default = true});
}

}  // namespace marshal::tools
