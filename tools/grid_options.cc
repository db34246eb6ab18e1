#include "tools/grid_options.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "tools/integer_list.h"

namespace marshal::tools {

mapping::Grid grid_of(std::string_view dims, std::string_view periodic) {
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

}  // namespace marshal::tools
