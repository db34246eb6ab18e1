// The key by which a profile knows a program: name, build, arguments and directory.
#pragma once

#include <string>

#include "base/process_facts.h"

namespace marshal::profile {

struct ProgramKey {
  std::string program;    // its name
  std::string build;      // its build-id, in hexadecimal digits; empty where it has none
  std::string arguments;  // a hash of the words behind the program's name
  std::string directory;  // a hash of the name of the directory that it runs in
  std::string command;    // those words, as far as they fit
  bool operator==(const ProgramKey&) const = default;
};

// Makes the key of the program that this command line starts in this directory. `executable` is its file, or the file
// of the interpreter that runs it.
ProgramKey key_of_program(const ProgramFacts& facts, const std::string& executable, const std::string& directory);

}  // namespace marshal::profile
