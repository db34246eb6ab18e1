// A grid as the options --dims and --periodic describe it.
#pragma once

#include <string_view>

#include "mapping/grid.h"

namespace marshal::tools {

// `dims` as 50x48; `periodic` is empty, one number for all dimensions, or one for each: "1,0". Throws
// std::invalid_argument.
mapping::Grid grid_of(std::string_view dims, std::string_view periodic);

}  // namespace marshal::tools
