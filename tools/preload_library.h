// Finds Marshal's own libraries: beside this program as installed, or in the build tree.
#pragma once

#include <string>
#include <vector>

namespace marshal::tools {

// The directories to search, the likeliest first: those beside this executable, where it is known, and the configured
// one. All are absolute.
std::vector<std::string> library_directories();
// libmarshal.so, which is preloaded whatever the MPI; empty if it is in none of the directories.
std::string preload_library(const std::vector<std::string>& directories);
// The library that it opens for an MPI, beside it: libmarshal-TAG.so, with the tag openmpi, mpich or abi; empty if it
// is not there.
std::string library_for(const std::string& tag, const std::string& preload_library);

}  // namespace marshal::tools
