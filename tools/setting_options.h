// Marshal's settings as options of `marshal run` and `marshal launch`, and words as a shell takes them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "tools/command_line.h"

namespace marshal::tools {

// As in a shell: 127 not found, 126 found but cannot be run.
inline constexpr int not_found = 127, cannot_run = 126, usage = 2;

using Variables = std::map<std::string, std::string>;

// The options that `marshal run` and `marshal launch` share, and the command that follows them.
struct RunOptions {
  bool dry_run = false, quiet = false;
  int verbose = 0;
  Variables settings;  // as typed, words as their table has them
  std::vector<std::string> command;

  int message_level() const { return quiet ? 0 : verbose + 1; }
};
void add_run_options(CommandLine& line, RunOptions& options);
// Parses the line and takes the command behind it. Returns the exit status if the command is over, after its help or
// for what `error` says. `name` is the subcommand's, `lacking` says that no command follows.
std::optional<int> parse_run_options(CommandLine& line, Arguments arguments, const std::string& name,
                                     const std::string& lacking, RunOptions& options, std::string& error);

// Adds the variable by which Marshal knows what was typed.
void mark_typed(Variables& variables);
// The settings of a run in which these were typed, with those of the environment and of the files.
Options options_of_run(Variables typed);

// Prints "env NAME=value … command" on stdout, quoted for a shell.
void print_command(const Variables& variables, const std::vector<std::string>& command);

// Becomes the program `path`, with these variables; a script without #! is run by a shell. Returns an errno.
int become(const Variables& variables, const std::string& path, const std::vector<std::string>& command);

}  // namespace marshal::tools
