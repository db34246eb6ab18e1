// marshal launch: starts a launcher's command with Marshal in front of the programs. Where an earlier run is known, it
// asks the launcher for an order of the ranks that sends less between nodes.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/options.h"
#include "base/process_facts.h"
#include "base/split_text.h"
#include "profile/kept_traffic.h"
#include "profile/launch_note.h"
#include "profile/profile_file.h"
#include "record/units.h"
#include "settings/settings.h"
#include "tools/command_line.h"
#include "tools/launch/launch_order.h"
#include "tools/launch/launcher_command.h"
#include "tools/preloading.h"
#include "tools/setting_options.h"

namespace marshal::tools {
namespace {

struct LaunchOptions : RunOptions {
  bool no_order = false;
  std::string order;
  Options in_force;  // what was typed, with the environment and the files
};

void tell(const std::string& text) { say_line(Level::warning, "launch: " + text); }

int start_command(const LaunchOptions& options, const EditedCommand& command) {
  if (options.dry_run) {
    print_command(command.variables, command.words);
    return 0;
  }
  const ProgramFile launcher = find_program_file(command.words.front());
  const int error = launcher.path.empty() ? ENOENT : become(command.variables, launcher.path, command.words);
  say(Level::error, "{}: {}", command.words.front(), std::strerror(error));
  return error == ENOENT ? not_found : cannot_run;
}

// An order of the user's is taken, or the run does not begin.
void refuse_order(const LaunchOptions& options, const std::string& why) {
  if (!options.order.empty()) throw std::invalid_argument("--order cannot be taken: " + why);
}

int start_unchanged(const LaunchOptions& options, std::vector<std::string> words, const std::string& why) {
  refuse_order(options, why);
  tell(why + ": the command runs unchanged, without Marshal");
  return start_command(options, {{}, std::move(words)});
}

// `marshal run`, with what was given to `marshal launch`.
std::vector<std::string> run_words(const LaunchOptions& options, const std::string& note, const std::string& binding) {
  std::vector<std::string> words = {executable_path(), "run"};
  if (!note.empty()) words.insert(words.end(), {"--launched", note});
  if (!binding.empty()) words.insert(words.end(), {"--bind", binding});
  if (options.quiet) words.emplace_back("-q");
  for (int i = 0; i < options.verbose; ++i) words.emplace_back("-v");
  Variables settings = options.settings;
  // Other nodes may have other variables, and it is the launcher that hands them on, or not.
  if (!note.empty() && (!options.in_force.is(Option::profile, "auto") || std::getenv("XDG_CACHE_HOME") != nullptr))
    settings["MARSHAL_PROFILE"] = note.substr(0, note.find_last_of('/'));
  for (const auto& [variable, value] : settings)
    for (const OptionRow& row : option_table())
      if (row.name == variable) words.push_back(fmt::format("--{}={}", long_option(row), value));
  words.emplace_back("--");
  return words;
}

ProgramFile file_of(const LauncherCommand& command, const LaunchedProgram& program) {
  const bool by_open_mpi = command.kind == LauncherKind::open_mpi || command.kind == LauncherKind::prrte;
  return find_program_file(command.words[program.word], program.directory.empty() ? "." : program.directory,
                           by_open_mpi);
}

// As the process will see itself, so that runs without `marshal launch` share what they teach.
profile::ProgramKey key_of_command(const LauncherCommand& command) {
  const LaunchedProgram& program = command.programs.front();
  const std::vector<std::string> words(command.words.begin() + static_cast<std::ptrdiff_t>(program.word),
                                       command.words.begin() + static_cast<std::ptrdiff_t>(command.end_of_program));
  std::error_code error;
  std::string path = std::filesystem::canonical(file_of(command, program).path, error).string();
  if (path.empty()) path = words.front();
  const auto directory = std::filesystem::weakly_canonical(program.directory.empty() ? "." : program.directory, error);
  return profile::key_of_program(program_facts(path, words), path, directory.string());
}

// 0: nobody says.
std::int32_t job_ranks(const LauncherCommand& command, const NodeList& nodes) {
  std::int32_t ranks = 0;
  if (read_number(command.ranks, ranks) && ranks > 0) return ranks;
  // mpirun of Open MPI fills all slots.
  const bool fills = command.kind == LauncherKind::open_mpi || command.kind == LauncherKind::prrte;
  if (!command.ranks.empty() || !fills || !nodes.has_places) return 0;
  return std::accumulate(nodes.hosts.begin(), nodes.hosts.end(), std::int32_t{0},
                         [](std::int32_t sum, const Host& host) { return sum + host.places; });
}

profile::LaunchNote note_of(const profile::ProgramKey& key, const LaunchOrder& order, const traffic::Job& measured) {
  profile::LaunchNote note{.key = key};
  note.hosts = order.places.names();
  note.asked = order.places.nodes_of(order.place_of_rank);
  note.given = order.places.nodes_of(order.places.given);
  note.bytes_asked = static_cast<std::uint64_t>(order.planned.after.bytes_between);
  note.bytes_given = static_cast<std::uint64_t>(order.planned.before.bytes_between);
  const auto fact = [&](const char* name) {
    const auto found = measured.facts.find(name);
    return found == measured.facts.end() ? std::string("unknown") : found->second;
  };
  if (measured.processes() != 0) note.taught_by = fmt::format("job {}, {}", fact("job"), fact("started"));
  return note;
}

// False where settings keep this run from teaching the next.
bool measures(const LaunchOptions& options, const std::string& program) {
  const Settings now(options.in_force, program);
  return now.traffic != Traffic::off && now.asks_host && !now.disable && !now.topology_given;
}

// Why the launcher's order stays before one is looked for, as a phrase; empty: it need not.
std::string why_not_to_look(const LaunchOptions& options, const LauncherCommand& command,
                            const profile::FoundTraffic& found, const NodeList& nodes, std::int32_t ranks,
                            const std::string& program) {
  if (ranks == 0) return "how many ranks there are is not known, the command has no -n";
  if (std::string why = why_not_by_nodes(nodes); !why.empty()) return why;
  if (found.traffic.job.processes() != 0) return why_not_by_run(command, found.traffic.job);
  return fmt::format(
      "no run of {} with these arguments on {} ranks is known{}", program, ranks,
      measures(options, program) ? "; this one is measured, and places the next if it has several nodes" : "");
}

// The order for this launch; why_not says why the launcher's stays.
LaunchOrder order_for(const LaunchOptions& options, const LauncherCommand& command, const profile::FoundTraffic& found,
                      const NodeList& nodes, std::int32_t ranks, const std::string& program) {
  LaunchOrder stays;
  stays.why_not = options.no_order ? "--no-order" : why_not_by_users_words(command);
  if (!options.order.empty()) {
    if (!stays.why_not.empty()) refuse_order(options, stays.why_not);
    return read_launch_order(options.order, ranks, nodes);
  }
  if (stays.why_not.empty()) stays.why_not = why_not_to_look(options, command, found, nodes, ranks, program);
  if (!stays.why_not.empty()) return stays;
  try {
    LaunchOrder order =
        find_launch_order(found.traffic, nodes, std::string(options.in_force.text(Option::topology_file)));
    if (order.why_not.empty()) order.why_not = why_not_by_start(command, order, found.traffic.job);
    return order;
  } catch (const std::exception& error) {  // it is the run that matters
    stays.why_not = fmt::format("none was found: {}", error.what());
    return stays;
  }
}

// "30 MiB between nodes where the launcher's order has 45 MiB", and the same of each level above.
std::string gain_of(const LaunchOrder& order) {
  const PlannedOrder& planned = order.planned;
  std::string text =
      fmt::format("{} between nodes where the launcher's order has {}", report::bytes_text(planned.after.bytes_between),
                  report::bytes_text(planned.before.bytes_between));
  for (std::size_t level = 0; level < order.places.above.size(); ++level)
    text += fmt::format(", {} between {} where it has {}",
                        report::bytes_text(static_cast<double>(planned.order.above_after[level].between_nodes)),
                        order.places.above[level].name,
                        report::bytes_text(static_cast<double>(planned.order.above_before[level].between_nodes)));
  return text;
}

// One program, of which the launcher is known.
int launch(const LaunchOptions& options, const LauncherCommand& command, const std::string& profiles) {
  const profile::ProgramKey key = key_of_command(command);
  const NodeList nodes = nodes_of(command);
  const std::int32_t ranks = job_ranks(command, nodes);
  profile::FoundTraffic found;
  if (ranks > 0) found = profile::find_traffic(profiles, key, ranks);
  for (const std::string& problem : found.problems) tell(problem);
  LaunchOrder order = order_for(options, command, found, nodes, ranks, key.program);

  std::string problem, file;
  profile::LaunchNote note{.key = key};
  if (order.why_not.empty()) {
    note = note_of(key, order, found.traffic.job);
    file = order_file_text(command.kind, order, nodes);
  }
  const std::string path = profile::write_launch_note(profiles, note, file, problem);
  if (order.why_not.empty()) {
    if (!problem.empty()) refuse_order(options, problem);
    order.why_not = problem;
  } else if (!problem.empty()) {
    tell(problem);
  }
  const bool is_placed = order.why_not.empty();
  if (!is_placed)
    tell(fmt::format("the ranks stand in the launcher's order: {}", order.why_not));
  else if (options.order.empty())
    tell(fmt::format("{} ranks in another order on {} nodes: {} (predicted{})", ranks, order.places.hosts.size(),
                     gain_of(order), found.lent_by.empty() ? "" : ", by " + found.lent_by));
  EditedCommand edited =
      with_marshal(command, run_words(options, path, is_placed ? binding_to_repeat(command, order) : ""));
  if (is_placed) place_by_file(edited, command, path + std::string(profile::order_ending));
  return start_command(options, edited);
}

std::string why_no_program(const LauncherCommand& command) {
  for (const LaunchedProgram& program : command.programs) {
    const ProgramFile file = file_of(command, program);
    if (!file.path.empty() && !file.why_not.empty()) return command.words[program.word] + " " + file.why_not;
  }
  return {};
}

int start_launcher(const LaunchOptions& options) {
  const std::vector<std::string>& words = options.command;
  if (find_program_file(words.front()).path.empty()) return start_command(options, {{}, words});
  std::string why_not_known;
  const auto kind = kind_of_launcher(words.front(), why_not_known);
  if (!kind) return start_unchanged(options, words, why_not_known);
  if (executable_path().empty())
    return start_unchanged(options, words, "where this command lies is not known, as /proc is missing");
  const LauncherCommand command = read_launcher_command(*kind, words);
  if (!command.why_unknown.empty()) return start_unchanged(options, words, command.why_unknown);
  if (const std::string why = why_no_program(command); !why.empty()) return start_unchanged(options, words, why);
  const std::string profiles = profile::profile_directory(options.in_force.text(Option::profile));
  std::string why_not;
  if (command.programs.size() > 1) why_not = "the command starts several programs";
  if (why_not.empty() && profiles.empty()) why_not = "there is no profile (MARSHAL_PROFILE)";
  if (why_not.empty()) return launch(options, command, profiles);
  refuse_order(options, why_not);
  tell(fmt::format("the ranks stand in the launcher's order: {}", why_not));
  return start_command(options, with_marshal(command, run_words(options, "", "")));
}

}  // namespace

int launch_command(Arguments arguments) {
  CommandLine line(
      "marshal launch",
      "Start a launcher's command with Marshal in front of the program. The first run is measured; what it "
      "sent places the ranks of the next:\n"
      "  marshal launch mpirun -n 64 --hostfile hosts ./app input\n");
  line.followed_by_command("marshal launch [OPTIONS] [--] LAUNCHER [ARGUMENTS] PROGRAM [ARGUMENTS]");
  LaunchOptions options;
  line.option("--order", &options.order, "take this order: a file with the host of each rank, one a line",
              {.type = "FILE"});
  line.flag("--no-order", options.no_order, "measure only: the launcher's order stays");
  add_run_options(line, options);
  std::string error;
  const auto over = parse_run_options(line, arguments, "launch",
                                      "no launcher given; as in: marshal launch mpirun -n 4 ./app", options, error);
  if (!over && options.no_order && !options.order.empty()) error = "launch: --order and --no-order exclude each other";
  if (!error.empty()) say_line(Level::error, error);
  if (over || !error.empty()) return over.value_or(usage);
  set_message_level(options.message_level());
  options.in_force = options_of_run(options.settings);
  try {
    return start_launcher(options);
  } catch (const std::invalid_argument& wrong) {
    say_line(Level::error, std::string("launch: ") + wrong.what());
    return usage;
  }
}

}  // namespace marshal::tools
