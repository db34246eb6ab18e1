#include "mapping/mappers.h"

#include <fmt/format.h>

#include <stdexcept>

namespace marshal::mapping {
namespace {

std::string why_not_equal(const Problem& problem) {
  for (const std::int32_t capacity : problem.capacity)
    if (capacity != problem.capacity.front())
      return fmt::format("nodes differ in size ({} and {} processes)", problem.capacity.front(), capacity);
  return fmt::format("{} cells do not fill whole nodes of {} processes", problem.cells(),
                     problem.capacity.empty() ? 0 : problem.capacity.front());
}

}  // namespace

std::string mapper_names(std::string_view separator) {
  std::string names;
  for (const MapperRow& row : mapper_table)
    if (row.by_name) names += fmt::format("{}{}", names.empty() ? "" : separator, row.name);
  return names;
}

Mapper parse_mapper(std::string_view name) {
  for (const MapperRow& row : mapper_table)
    if (row.by_name && row.name == name) return row.mapper;
  throw std::invalid_argument(fmt::format("unknown mapper '{}': one of {}", name, mapper_names(", ")));
}

MapperResult run_mapper(const Problem& problem, Mapper mapper) {
  if (row(mapper).nodes == Nodes::equal && !equal_node_size(problem)) return {{}, why_not_equal(problem), {}};
  return problem.cells() == 0 ? MapperResult() : row(mapper).place(problem);
}

}  // namespace marshal::mapping
