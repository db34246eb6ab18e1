// What `marshal run` preloads, and into what: Marshal's own libraries, beside this program as installed or in the build
// tree; and whether a library can be preloaded into a program, from its file, without running it.
#pragma once

#include <string>
#include <vector>

namespace marshal::tools {

struct ProgramFile {
  std::string path;     // empty: there is no such program
  std::string why_not;  // why nothing can be preloaded into it; empty: it can, or a shell runs it
};

// The program that execvp would find under that name in this directory. `also_there`: as Open MPI's launchers do, a
// name that PATH does not have is looked for in the directory itself.
ProgramFile find_program_file(const std::string& name, const std::string& directory = ".", bool also_there = false);

// False for scripts, and for what cannot be read.
bool is_binary(const std::string& path);

// The directories to search, the likeliest first: those beside this executable, where it is known, and the configured
// one. All are absolute.
std::vector<std::string> library_directories();
// libmarshal.so, which is preloaded whatever the MPI; empty if it is in none of the directories.
std::string preload_library(const std::vector<std::string>& directories);
// The library that it opens for an MPI, beside it: libmarshal-TAG.so, with the tag openmpi, mpich or abi; empty if it
// is not there.
std::string library_for(const std::string& tag, const std::string& preload_library);

}  // namespace marshal::tools
