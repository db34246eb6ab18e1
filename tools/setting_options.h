// The settings of Marshal as long options of a command: one for each row of the option table that is not hidden.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "base/options.h"

namespace marshal::tools {

// Adds them to `app` in a group of their own; parsing fills `given` (variable -> value as typed). A value that is not
// allowed is a CLI::ValidationError that names the choices.
void add_setting_options(CLI::App& app, std::map<std::string, std::string>& given);

}  // namespace marshal::tools
