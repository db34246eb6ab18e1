// The key of all that runs taught, and under which they find it again: a program's name, build and arguments, and the
// directory that it runs in.
#pragma once

#include <string>
#include <tuple>

#include "base/process_facts.h"

namespace marshal::profile {

struct Program {
  std::string program{};    // its name
  std::string build{};      // its build-id, in hexadecimal digits; empty where it has none
  std::string arguments{};  // a hash of the words behind the program's name: other input has other traffic
  std::string command{};    // those words, as far as they fit; for people

  // The same program with the same arguments.
  bool is_alike(const Program& other) const {
    return std::tie(program, build, arguments) == std::tie(other.program, other.build, other.arguments);
  }
  bool operator==(const Program&) const = default;
};

struct ProgramKey : Program {
  std::string directory{};  // a hash of its name
  bool operator==(const ProgramKey&) const = default;
};

// Makes the key of the program that this command line starts in this directory. `executable` is its file, or the file
// of the interpreter that runs it.
ProgramKey key_of_program(const ProgramFacts& facts, const std::string& executable, const std::string& directory);

}  // namespace marshal::profile
