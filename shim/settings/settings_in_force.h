// The settings in force in this process.
#pragma once

#include <string>

#include "settings/settings.h"

namespace marshal {

// Read from the environment and the configuration files at the first call. Thread safe; the reference stays valid.
const Settings& settings();

// All ranks must take the same decisions: rank 0's settings, as one text, replace everybody's at init.
std::string settings_as_text();
void adopt_settings(const std::string& text);

// Prints what was wrong with the settings; for one rank of the job to call.
void report_setting_problems();

}  // namespace marshal
