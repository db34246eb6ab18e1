// marshal run: puts Marshal in front of a program and becomes it.
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/launcher.h"
#include "base/message.h"
#include "base/options.h"
#include "profile/launch_note.h"
#include "tools/command_line.h"
#include "tools/launch/rank_binding.h"
#include "tools/preloading.h"
#include "tools/setting_options.h"

namespace marshal::tools {
namespace {

bool first_of_its_node() {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (const char* rank = std::getenv(variable); rank != nullptr) return std::strcmp(rank, "0") == 0;
  return true;
}

int failed(int status, const std::string& why) {
  if (first_of_its_node()) say_line(Level::error, why);
  return status;
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

// The address sanitizer of gcc, a library, ends a program in which it does not come first. It need not: libmarshal.so
// has no function that it looks for. Whatever the program starts may be linked with it. The user's own word wins.
std::string with_asan_behind(const char* present) {
  std::string options = "verify_asan_link_order=0";
  if (present != nullptr && *present != '\0') options.append(":").append(present);
  return options;
}

}  // namespace

int run_command(Arguments arguments) {
  CommandLine line("marshal run",
                   "Run an MPI program with Marshal in front of it, between the launcher and the program:\n"
                   "  mpirun -n 16 marshal run --cart=search -- ./app arguments\n");
  line.followed_by_command("marshal run [OPTIONS] [--] PROGRAM [ARGUMENTS]");
  std::string launched, binding, error;
  line.option("--launched", &launched, "the note of marshal launch", {.hidden = true});
  line.option("--bind", &binding, "what the launcher would bind this rank to",
              {.among = {"core", "socket"}, .hidden = true});
  RunOptions options;
  add_run_options(line, options);
  if (const auto over = parse_run_options(line, arguments, "run",
                                          "no program given; as in: mpirun -n 4 marshal run ./app", options, error))
    return error.empty() ? *over : failed(*over, error);
  const std::vector<std::string>& command = options.command;
  Variables& given = options.settings;
  if (options.message_level() != 1)
    given[std::string(row(Option::verbose).name)] = std::to_string(std::min(options.message_level(), 3));

  const bool by_open_mpi = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  const ProgramFile found = find_program_file(command.front(), ".", by_open_mpi);
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
  // It was for the launcher.
  if (const char* const hosts = std::getenv("SLURM_HOSTFILE");
      hosts != nullptr && hosts == launched + std::string(profile::order_ending))
    unsetenv("SLURM_HOSTFILE");
  mark_typed(given);
  given["LD_PRELOAD"] = with_preload(std::getenv("LD_PRELOAD"), library);
  given["ASAN_OPTIONS"] = with_asan_behind(std::getenv("ASAN_OPTIONS"));
  if (options.dry_run) {
    print_command(given, command);
    return 0;
  }
  if (has_launcher() && first_of_job()) given[run_process_variable] = std::to_string(getpid());
  set_message_level(options.message_level());
  if (first_of_its_node()) say(Level::info, "{}: preloading {}", found.path, library);
  if (!binding.empty()) bind_rank(binding);
  const int why = become(given, found.path, command);
  return failed(why == ENOENT ? not_found : cannot_run, fmt::format("{}: {}", found.path, std::strerror(why)));
}

}  // namespace marshal::tools
