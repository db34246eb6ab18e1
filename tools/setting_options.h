// Marshal's settings as options of `marshal run` and `marshal launch`, and words as a shell takes them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/command_line.h"

namespace marshal::tools {

// As in a shell: 127 not found, 126 found but cannot be run.
inline constexpr int not_found = 127, cannot_run = 126, usage = 2;

using Variables = std::map<std::string, std::string>;

// One option for each setting that is not hidden, in a group of their own. Parsing fills `given`: variable -> value as
// typed. A value that is not allowed is an error that names the choices.
void add_setting_options(CommandLine& line, Variables& given);

// Why the command that follows the options begins with an option, which was mistyped; empty: it does not. `name` is
// the subcommand's.
std::string mistyped_option(const std::string& name, const std::vector<std::string>& command,
                            const std::vector<std::string>& names);

// Prints "env NAME=value … command" on stdout, quoted for a shell.
void print_command(const Variables& variables, const std::vector<std::string>& command);

// Becomes the program `path`, with these variables; a script without #! is run by a shell. Returns an errno.
int become(const Variables& variables, const std::string& path, const std::vector<std::string>& command);

}  // namespace marshal::tools
