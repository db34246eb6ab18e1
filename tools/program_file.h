// Finds out whether a library can be preloaded into a program, from its file, without running it.
#pragma once

#include <string>

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

}  // namespace marshal::tools
