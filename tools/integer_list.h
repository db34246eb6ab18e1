// Lists of numbers in options of the command: "50x48", "24,24,48".
#pragma once

#include <limits>
#include <string_view>
#include <vector>

namespace marshal::tools {

// Numbers from `least` to `most`. Throws std::invalid_argument, with a message that begins with the name of the option.
std::vector<int> integers(std::string_view text, char separator, int least, std::string_view option,
                          int most = std::numeric_limits<int>::max());

}  // namespace marshal::tools
