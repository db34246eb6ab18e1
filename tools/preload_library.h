// Marshal's own library for an MPI: beside this program as installed, or in the build tree.
#pragma once

#include <string>
#include <vector>

#include "tools/program_mpi.h"

namespace marshal::tools {

// Directories that are looked in, the likeliest first, relative to where this executable is.
std::vector<std::string> library_directories();
// libmarshal-FAMILY.so; empty when it is in none of the directories.
std::string preload_library(MpiFamily family, const std::vector<std::string>& directories);
// LD_PRELOAD with `library` behind what is there already, so that sanitizers and other tools stay first.
std::string with_preload(const char* present, const std::string& library);

}  // namespace marshal::tools
