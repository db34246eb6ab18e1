// marshal run: puts Marshal in front of a program and becomes it.
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/nearest_name.h"
#include "base/options.h"
#include "tools/command_line.h"
#include "tools/commands.h"
#include "tools/preload_library.h"
#include "tools/program_file.h"

namespace marshal::tools {
namespace {

// As in a shell: 127 not found, 126 found but cannot be run.
constexpr int not_found = 127, cannot_run = 126, usage = 2;

bool first_of_its_node() {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (const char* rank = std::getenv(variable); rank != nullptr) return std::strcmp(rank, "0") == 0;
  return true;
}

int failed(int status, const std::string& why) {
  if (first_of_its_node()) say_line(Level::error, why);
  return status;
}

std::string quoted(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

using Variables = std::map<std::string, std::string>;

void print_command(const Variables& variables, const std::vector<std::string>& command) {
  std::string line = "env";
  for (const auto& [name, value] : variables) line += " " + name + "=" + quoted(value);
  for (const std::string& word : command) line += " " + quoted(word);
  fmt::print("{}\n", line);
}

int execute(const Variables& variables, const std::string& path, const std::vector<std::string>& command) {
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(path.c_str(), words.data());
  if (errno == ENOEXEC) {  // a script without #!, as execvp treats it
    words.insert(words.begin(), const_cast<char*>("/bin/sh"));
    words[1] = const_cast<char*>(path.c_str());
    execv("/bin/sh", words.data());
  }
  const int status = errno == ENOENT ? not_found : cannot_run;
  return failed(status, fmt::format("{}: {}", path, std::strerror(errno)));
}

// The words after the options must be the program and its arguments; an option among them was mistyped.
std::string mistyped_option(const std::vector<std::string>& command, const std::vector<std::string>& names) {
  if (command.empty() || !command.front().starts_with('-')) return {};
  const std::string typed = command.front().substr(0, command.front().find('='));
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view nearest = nearest_name(typed, views);
  return fmt::format(
      "run: no option {}{}", typed,
      nearest.empty() ? "; `marshal run --help` lists them" : fmt::format("; did you mean {}?", nearest));
}

std::string shape(const OptionRow& row) {
  if (row.kind == OptionKind::text || row.words.empty()) return std::string(row.form);
  std::string words = fmt::format("{}", fmt::join(words_of(row), "|"));
  if (row.kind == OptionKind::words) words += ",...";
  return row.form.empty() ? words : words + "|" + std::string(row.form);
}

// Marshal's settings as long options, in a group of their own: one for each row of the option table that is not hidden.
// Parsing fills `given` (variable -> value as typed). A value that is not allowed is an error that names the choices.
void add_setting_options(CommandLine& line, std::map<std::string, std::string>& given) {
  for (const OptionRow& row : option_table()) {
    if (row.hidden || row.option == Option::verbose) continue;  // -v and -q set the level
    const auto take = [&row, &given](const std::string& text) {
      OptionValue value;
      // `--cart=` unsets a variable, as `MARSHAL_CART=` does.
      if (const std::string why = parse_option(row, text, value); !text.empty() && !why.empty())
        return fmt::format("'{}': {}; choices: {}", text, why, choices_text(row));
      given[std::string(row.name)] = text;
      return std::string();
    };
    line.setting("--" + long_option(row), std::string(row.help), shape(row), std::string(row.initial), take);
  }
}

// LD_PRELOAD with `library` first: a tool in front of it could keep calls from it.
std::string with_preload(const char* present, const std::string& library) {
  std::string all = library;
  if (present == nullptr) return all;
  for (std::string_view rest(present); !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(": "), rest.size());
    const std::string_view one = rest.substr(0, end);
    if (!one.empty() && one != library) all.append(":").append(one);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return all;
}

}  // namespace

int run_command(Arguments arguments) {
  CommandLine line("marshal run",
                   "Run an MPI program with Marshal in front of it, between the launcher and the program:\n"
                   "  mpirun -n 16 marshal run --cart=search -- ./app arguments\n");
  line.followed_by_command("marshal run [OPTIONS] [--] PROGRAM [ARGUMENTS]");
  bool dry_run = false, quiet = false;
  int verbose = 0;
  line.flag("--dry-run", dry_run, "print the command that could be typed by hand, and run nothing");
  std::string launched;
  line.option("--launched", &launched, "the note of marshal launch", {.hidden = true});
  line.counter("-v,--verbose", verbose, "say what Marshal does; twice: in detail");
  line.flag("-q,--quiet", quiet, "say errors only");
  Variables given;
  add_setting_options(line, given);
  std::string error;
  if (const auto over = line.parse(arguments, error))
    return error.empty() ? *over : failed(usage, fmt::format("run: {}", error));
  std::vector<std::string> command = line.rest();
  if (!command.empty() && command.front() == "--")
    command.erase(command.begin());
  else if (const std::string mistyped = mistyped_option(command, line.long_names()); !mistyped.empty())
    return failed(usage, mistyped);
  if (command.empty()) return failed(usage, "run: no program given; as in: mpirun -n 4 marshal run ./app");
  if (quiet && verbose > 0) return failed(usage, "run: --quiet and --verbose exclude each other");
  if (verbose > 0 || quiet)
    given[std::string(row(Option::verbose).name)] = quiet ? "0" : std::to_string(std::min(verbose + 1, 3));

  const ProgramFile found = find_program_file(command.front());
  if (!found.why_not.empty())
    return failed(found.path.empty() ? not_found : cannot_run, fmt::format("{}: {}", command.front(), found.why_not));
  const std::vector<std::string> directories = library_directories();
  const std::string library = preload_library(directories);
  if (library.empty())
    return failed(cannot_run, fmt::format("there is no libmarshal.so in {}", fmt::join(directories, ", ")));
  if (library.find_first_of(": ") != std::string::npos)
    return failed(
        cannot_run,
        fmt::format("{}: the loader cannot preload a path with a blank or a colon in it; install Marshal elsewhere",
                    library));

  if (!launched.empty()) given[std::string(row(Option::launch).name)] = launched;
  std::string marker;
  for (const auto& [name, value] : given) marker += (marker.empty() ? "" : ",") + name;
  if (!marker.empty()) given[std::string(command_line_marker)] = marker;
  given["LD_PRELOAD"] = with_preload(std::getenv("LD_PRELOAD"), library);
  if (dry_run) {
    print_command(given, command);
    return 0;
  }
  set_message_level(quiet ? 0 : verbose + 1);
  if (first_of_its_node()) say(Level::info, "{}: preloading {}", found.path, library);
  return execute(given, found.path, command);
}

}  // namespace marshal::tools
