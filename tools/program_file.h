// Finds out whether a library can be preloaded into a program, from its file, without running it.
#pragma once

#include <string>

namespace marshal::tools {

struct ProgramFile {
  std::string path;     // empty: there is no such program
  std::string why_not;  // why nothing can be preloaded into it; empty: it can, or a shell runs it
};

// The program that execvp would find under that name.
ProgramFile find_program_file(const std::string& name);

}  // namespace marshal::tools
