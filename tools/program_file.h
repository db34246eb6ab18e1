// Finds out whether a library can be preloaded into a program, from its file, without running it.
#pragma once

#include <string>

namespace marshal::tools {

struct ProgramFile {
  enum class Kind : unsigned char {
    found,           // a program that the dynamic loader starts, or a script
    not_found,       // no such program
    not_executable,  // there, but no permission, a directory, …
    other_machine,   // for another processor, word length or byte order
    damaged,
    linked_statically,  // no dynamic loader: nothing can be preloaded
  };
  Kind kind = Kind::not_found;
  std::string path;
  bool privileged = false;  // set-user-ID or with capabilities: the loader ignores LD_PRELOAD
};

// The program that execvp would find under that name.
ProgramFile find_program_file(const std::string& name);

}  // namespace marshal::tools
