// Prints the contents of the profiles, for people.
#pragma once

#include <string>
#include <vector>

#include "base/options.h"

namespace marshal::tools {

// Prints what the profiles in the directory of MARSHAL_PROFILE hold, of these programs or of all. Returns the exit
// status: 1 where a profile cannot be read.
int list_profiles(const Options& options, const std::vector<std::string>& programs, bool json);

}  // namespace marshal::tools
