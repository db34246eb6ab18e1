// Finds out whether a library can be preloaded into a program, from its file, without running it.
#pragma once

#include <string>

namespace marshal::tools {

struct ProgramFile {
  enum class Kind : unsigned char {
    kFound,          // a program that the dynamic loader starts, or a script
    kNotFound,       // no such program
    kNotExecutable,  // there, but no permission, a directory, …
    kOtherMachine,   // for another processor, word length or byte order
    kDamaged,
    kStatic,  // no dynamic loader: nothing can be preloaded
  };
  Kind kind = Kind::kNotFound;
  std::string path;
  bool privileged = false;  // set-user-ID or with capabilities: the loader ignores LD_PRELOAD
};

// The program that execvp would find under that name.
ProgramFile find_program_file(const std::string& name);

}  // namespace marshal::tools
