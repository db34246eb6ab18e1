// The option table as parts of the manual and of the shell's completion. The committed files hold what these give; a
// test compares them.
#pragma once

#include <string>

namespace marshal::tools {

// Entries of an mdoc list, one for each setting that is not hidden.
std::string settings_as_mdoc();
// The whole completion for bash, with `commands` (blanks between) as subcommands.
std::string bash_completion(const std::string& commands);

}  // namespace marshal::tools
