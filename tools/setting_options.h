// The settings of Marshal as long options of a command: one for each row of the option table that is not hidden.
#pragma once

#include <map>
#include <string>

#include "base/options.h"
#include "tools/command_line.h"

namespace marshal::tools {

// Adds them to `line` in a group of their own; parsing fills `given` (variable -> value as typed). A value that is not
// allowed is an error that names the choices.
void add_setting_options(CommandLine& line, std::map<std::string, std::string>& given);

}  // namespace marshal::tools
