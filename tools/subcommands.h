// A command that calls the subcommand that its first argument names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/commands.h"

namespace marshal::tools {

struct Subcommand {
  std::string_view name;
  std::string_view help;  // one line
  int (*run)(Arguments);
};

struct Subcommands {
  std::string_view kind;    // "benchmark"
  std::string_view caller;  // what is typed in front: "marshal bench"
  std::string_view intro;   // of the help
  std::string_view more;    // its last line
  std::span<const Subcommand> all;
};

// Runs the subcommand that arguments[1] names. --help lists them and returns 0; without an argument they are listed,
// too, and it returns 2. An unknown name gives a line with the nearest one, and 2.
int hand_on(const Subcommands& commands, Arguments arguments);

}  // namespace marshal::tools
