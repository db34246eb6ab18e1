// Writes the tables of settings and mappers as parts of the manual, which a test compares, and the shell's completion,
// which the build makes.
#pragma once

#include <string>

namespace marshal::tools {

// Entries of an mdoc list: one for each mapper, then one for each setting that is not hidden.
std::string tables_as_mdoc();
// The whole completion for bash. Commands and their options are asked of --help; the settings of `run`, which have
// values to complete, are written down in it.
std::string bash_completion();

}  // namespace marshal::tools
