// Values of options that several commands take: numbers, grids, efforts, rates.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/grid.h"
#include "mapping/prediction.h"
#include "tools/command_line.h"

namespace marshal::tools {

// Numbers from `least` to `most`, as "50x48" or "24,24,48". Throws std::invalid_argument, with a message that begins
// with the name of the option.
std::vector<int> integers(std::string_view text, char separator, int least, std::string_view option,
                          int most = std::numeric_limits<int>::max());

// --dims as 50x48; --periodic is empty, one number for all dimensions, or one for each: "1,0". Throws
// std::invalid_argument.
mapping::Grid grid_of(std::string_view dims, std::string_view periodic);

// --effort as 100K. Throws std::invalid_argument.
std::int64_t effort_of(const std::string& text);

// --node-rate and --process-rate.
struct Rates {
  double node = mapping::Machine{}.node_rate / 1e9, process = mapping::Machine{}.process_rate / 1e9;  // GB/s
  mapping::Machine machine() const;
};
void add_rates(CommandLine& line, Rates& rates);

}  // namespace marshal::tools
