#include "topology/placement_description.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>

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

}  // namespace marshal::topology
