// marshal profile: what runs taught about the grids of programs, and which of them moved ranks and did not end in order
// (MARSHAL_PROFILE), listed or forgotten.
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/message.h"
#include "base/options.h"
#include "pages/table.h"
#include "profile/kept_traffic.h"
#include "profile/launch_note.h"
#include "profile/profile_file.h"
#include "record/json.h"
#include "record/units.h"
#include "tools/command_line.h"
#include "tools/output.h"

namespace marshal::tools {
namespace {

using profile::KeptTraffic;
using profile::LearnedGrid;
using profile::MovedRun;
using report::Json;
using report::Table;

// Empty, with a line on stderr, where there is none.
std::string directory_of(const Options& options) {
  std::string directory = profile::profile_directory(options.text(Option::profile));
  if (directory.empty())
    say(Level::error, "there are no profiles: {}",
        options.is(Option::profile, "off") ? "MARSHAL_PROFILE=off" : "neither XDG_CACHE_HOME nor HOME is set");
  return directory;
}

bool is_among(const std::vector<std::string>& programs, const std::string& program) {
  return programs.empty() || std::find(programs.begin(), programs.end(), program) != programs.end();
}

// "NAME-BUILDID" without the build-id.
std::string program_of(const std::string& stem) {
  const std::size_t dash = stem.find_last_of('-');
  const bool has_build =
      dash != std::string::npos && stem.find_first_not_of("0123456789abcdef", dash + 1) == std::string::npos;
  return has_build ? stem.substr(0, dash) : stem;
}

std::string grid_text(const LearnedGrid& grid) {
  std::string text = fmt::format("{}", fmt::join(grid.grid.dims, "x"));
  if (std::find(grid.grid.periodic.begin(), grid.grid.periodic.end(), true) != grid.grid.periodic.end()) {
    text += " periodic ";
    for (std::size_t d = 0; d < grid.grid.periodic.size(); ++d)
      text += fmt::format("{}{}", d == 0 ? "" : ",", grid.grid.periodic[d] ? 1 : 0);
  }
  return text;
}

std::string state_text(const LearnedGrid& grid) {
  if (grid.keep_order) return "keeps the order given: it sent less";
  if (!grid.earlier.empty()) return fmt::format("changes: {} other stencils before", grid.earlier.size());
  return "used by the next run";
}

Json json_of(const LearnedGrid& grid) {
  std::vector<int> periodic(grid.grid.periodic.begin(), grid.grid.periodic.end());
  return Json::object({{"program", grid.program},
                       {"build_id", grid.build},
                       {"arguments", grid.command},
                       {"site", grid.site},
                       {"processes", grid.processes},
                       {"dims", grid.grid.dims},
                       {"periodic", periodic},
                       {"stencil", grid.stencil},
                       {"earlier", grid.earlier},
                       {"keeps_order", grid.keep_order},
                       {"directories", grid.directories.size()},
                       {"job", grid.job},
                       {"learned", grid.learned}});
}

Json json_of(const MovedRun& run) {
  return Json::object({{"program", run.program},
                       {"build_id", run.build},
                       {"arguments", run.command},
                       {"job", run.job},
                       {"moved", run.moved}});
}

void print_grids(const std::vector<LearnedGrid>& grids) {
  Table table({{"program", report::Align::left, 24},
               {"arguments", report::Align::left, 30},
               {"ranks"},
               {"grid", report::Align::left, 24},
               {"made at", report::Align::left, 30},
               {"directories"},
               {"learned", report::Align::left},
               {"in job", report::Align::left, 16},
               {"state", report::Align::left},
               {"weight by displacement", report::Align::left, 80}});
  for (const LearnedGrid& grid : grids)
    table.add({grid.program, grid.command, std::to_string(grid.processes), grid_text(grid), grid.site,
               std::to_string(grid.directories.size()), grid.learned, grid.job, state_text(grid), grid.stencil});
  print_lines(table.text());
}

std::string time_text(std::time_t written) {
  struct tm local {};
  char text[20] = "";
  if (localtime_r(&written, &local) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &local);
  return text;
}

std::string fact(const std::map<std::string, std::string>& facts, const char* name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second;
}

// The words behind the program's own name.
std::string arguments_of(const std::map<std::string, std::string>& facts) {
  const std::string words = fact(facts, "arguments");
  const std::size_t blank = words.find(' ');
  return blank == words.npos ? "" : words.substr(blank + 1);
}

Json json_of(const KeptTraffic& kept) {
  const auto facts = profile::facts_of(kept);
  return Json::object({{"program", program_of(kept.stem)},
                       {"arguments", arguments_of(facts)},
                       {"run_in", fact(facts, "directory")},
                       {"job", fact(facts, "job")},
                       {"processes", kept.processes},
                       {"bytes", kept.bytes},
                       {"written", time_text(kept.written)},
                       {"file", kept.path}});
}

void print_traffic(const std::vector<KeptTraffic>& all) {
  print_formatted("\n{} run{} kept for `marshal launch`:\n", all.size(), all.size() == 1 ? "" : "s");
  Table table({{"program", report::Align::left, 24},
               {"arguments", report::Align::left, 30},
               {"ranks"},
               {"in directory", report::Align::left, 40},
               {"in job", report::Align::left, 16},
               {"written", report::Align::left},
               {"size"},
               {"file", report::Align::left, 100}});
  for (const KeptTraffic& kept : all) {
    const auto facts = profile::facts_of(kept);
    table.add({program_of(kept.stem), arguments_of(facts), std::to_string(kept.processes), fact(facts, "directory"),
               fact(facts, "job"), time_text(kept.written), report::bytes_text(static_cast<double>(kept.bytes)),
               profile::name_in(kept.path)});
  }
  print_lines(table.text());
}

void print_moved_runs(const std::vector<MovedRun>& runs) {
  print_formatted("\nMoved ranks, and died or still run; until they end in order the next run keeps its ranks:\n");
  Table table({{"program", report::Align::left, 24},
               {"arguments", report::Align::left, 30},
               {"moved", report::Align::left},
               {"in job", report::Align::left, 16}});
  for (const MovedRun& run : runs) table.add({run.program, run.command, run.moved, run.job});
  print_lines(table.text());
}

int forget_profiles(const Options& options, const std::vector<std::string>& programs, bool all) {
  if (programs.empty() != all) {
    say_line(Level::error, "name the programs to forget, or --all");
    return 2;
  }
  const std::string directory = directory_of(options);
  if (directory.empty()) return 1;
  int status = 0, files = 0;
  std::vector<std::string> paths;
  for (const std::string& path : profile::profiles_in(directory))
    if (is_among(programs, program_of(profile::stem_in(path)))) paths.push_back(path);
  for (const KeptTraffic& kept : profile::kept_traffic_in(directory))
    if (is_among(programs, program_of(kept.stem))) paths.push_back(kept.path);
  if (all)
    for (const profile::ListedFile& note : profile::launch_notes_in(directory)) paths.push_back(note.path);
  for (const std::string& path : paths) {
    ++files;
    if (std::remove(path.c_str()) == 0) continue;
    say(Level::error, "cannot remove {}: {}", path, std::strerror(errno));
    status = 1;
  }
  if (files == 0 && !programs.empty()) {
    say(Level::error, "no profile of {} in {}", fmt::join(programs, ", "), directory);
    return 1;
  }
  if (status == 0) print_formatted("{} file{} removed from {}\n", files, files == 1 ? "" : "s", directory);
  return status;
}

int list_profiles(const Options& options, const std::vector<std::string>& programs, bool json) {
  const std::string directory = directory_of(options);
  if (directory.empty()) return 1;
  int status = 0;
  std::vector<LearnedGrid> grids;
  std::vector<MovedRun> moved_runs;
  for (const std::string& path : profile::profiles_in(directory)) {
    if (!is_among(programs, program_of(profile::stem_in(path)))) continue;
    const profile::Profile found = profile::read_profile(path);
    grids.insert(grids.end(), found.grids.begin(), found.grids.end());
    moved_runs.insert(moved_runs.end(), found.moved_runs.begin(), found.moved_runs.end());
    if (found.problem.empty()) continue;
    say_line(Level::error, found.problem);
    status = 1;
  }
  std::vector<KeptTraffic> traffic = profile::kept_traffic_in(directory);
  std::erase_if(traffic, [&](const KeptTraffic& kept) { return !is_among(programs, program_of(kept.stem)); });
  if (json) {
    Json all_traffic = Json::array();
    for (const KeptTraffic& kept : traffic) all_traffic.push_back(json_of(kept));
    Json all_grids = Json::array(), all_runs = Json::array();
    for (const LearnedGrid& grid : grids) all_grids.push_back(json_of(grid));
    for (const MovedRun& run : moved_runs) all_runs.push_back(json_of(run));
    print_whole(report::json_text(Json::object({{"directory", directory},
                                                {"grids", std::move(all_grids)},
                                                {"moved_runs", std::move(all_runs)},
                                                {"traffic", std::move(all_traffic)}}),
                                  1) +
                "\n");
    return status;
  }
  print_formatted("{}: {} grid{} learned\n", directory, grids.size(), grids.size() == 1 ? "" : "s");
  if (!grids.empty()) print_grids(grids);
  if (!moved_runs.empty()) print_moved_runs(moved_runs);
  if (!traffic.empty()) print_traffic(traffic);
  return status;
}

}  // namespace

int profile_command(Arguments arguments) {
  CommandLine line("marshal profile",
                   "Lists what runs taught about the grids of programs, in the directory of MARSHAL_PROFILE; with "
                   "`forget`, removes it.");
  std::vector<std::string> words;
  bool json = false, all = false;
  line.option("WORDS", &words, "list (the default) or forget, then names of programs, without their directories",
              {.type = "[list|forget] [PROGRAM ...]"});
  line.flag("--json", json, "list as JSON");
  line.flag("--all", all, "forget all programs");
  if (const auto over = line.parse(arguments)) return *over;
  const bool forgets = !words.empty() && words.front() == "forget";
  if (forgets || (!words.empty() && words.front() == "list")) words.erase(words.begin());
  if (all && !forgets) {
    say_line(Level::error, "--all goes with forget");
    return 2;
  }
  const Options options = Options::load(environ);
  for (const std::string& problem : options.problems()) say_line(Level::error, problem);
  return forgets ? forget_profiles(options, words, all) : list_profiles(options, words, json);
}

}  // namespace marshal::tools
