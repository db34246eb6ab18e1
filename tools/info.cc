// marshal info: every setting with its default, the value in force, where that came from and what it does; and what
// Marshal finds in the hosts.
#include <fmt/format.h>
#include <unistd.h>

#include "base/message.h"
#include "base/options.h"
#include "report/json.h"
#include "report/text_table.h"
#include "tools/command_line.h"
#include "tools/commands.h"
#include "tools/host_messages.h"
#include "tools/preload_library.h"
#include "tools/profile.h"
#include "tools/setting_texts.h"

namespace marshal::tools {
namespace {

using report::TextTable;

struct MpiLibrary {
  const char* tag;
  const char* mpi;
};
constexpr MpiLibrary mpi_libraries[] = {{"openmpi", "Open MPI"}, {"mpich", "MPICH"}, {"abi", "the MPI ABI"}};

std::string source_text(const OptionValue& value) {
  const bool named = value.source == Source::file || value.source == Source::site;
  return named ? value.where : std::string(source_name(value.source));
}

report::Json settings_json(const Options& options) {
  report::Json settings = report::Json::array();
  for (const OptionRow& row : option_table()) {
    if (row.hidden) continue;
    const OptionValue& value = options[row.option];
    settings.push_back(report::Json::object({{"variable", row.name},
                                             {"option", "--" + long_option(row)},
                                             {"default", row.initial},
                                             {"value", value.text},
                                             {"source", source_name(value.source)},
                                             {"where", value.where},
                                             {"choices", choices_text(row)},
                                             {"help", row.help},
                                             {"page", "marshal(7)"}}));
  }
  return settings;
}

report::Json messages_json(const std::vector<ConfiguredHost>& hosts, const std::string& library) {
  report::Json all = report::Json::object({});
  for (const ConfiguredHost& host : hosts) {
    const HostMessages found = messages_on(host, library);
    all.add(family_tag(host.family),
            report::Json::object({{"mpi", found.mpi}, {"by_engine", found.by_engine}, {"why_not", found.why_not}}));
  }
  return all;
}

void print_messages(const std::vector<ConfiguredHost>& hosts, const std::string& library) {
  for (const ConfiguredHost& host : hosts) {
    const HostMessages found = messages_on(host, library);
    fmt::print(
        "  datatypes in messages, {}: {}\n", found.mpi.empty() ? family_name(host.family) : found.mpi,
        found.by_engine ? "moved by Marshal's engine" : fmt::format("left to the MPI library ({})", found.why_not));
  }
}

void print_text(const Options& options, const std::vector<std::string>& directories,
                const std::vector<ConfiguredHost>& hosts) {
  fmt::print("Marshal {}\n", MARSHAL_VERSION);
  const auto shown_path = [](const std::string& path) { return path.empty() ? "not installed" : path; };
  const std::string preloaded = preload_library(directories);
  fmt::print("  LD_PRELOAD takes:              {}\n", shown_path(preloaded));
  for (const MpiLibrary& library : mpi_libraries)
    fmt::print("  opened for {:20}{}\n", std::string(library.mpi) + ":",
               shown_path(library_for(library.tag, preloaded)));
  print_messages(hosts, preloaded);
  fmt::print("\n");
  TextTable table({{"variable", TextTable::Align::left},
                   {"default", TextTable::Align::left, 20},
                   {"value now", TextTable::Align::left, 30},
                   {"from", TextTable::Align::left, 40}});
  for (const OptionRow& row : option_table()) {
    if (row.hidden) continue;
    const OptionValue& value = options[row.option];
    const auto shown = [](std::string_view text) { return text.empty() ? std::string("-") : std::string(text); };
    table.add({std::string(row.name), shown(row.initial), shown(value.text), source_text(value)});
  }
  fmt::print("{}\n", table.text());
  for (const OptionRow& row : option_table())
    if (!row.hidden) fmt::print("{}\n    {}\n    takes {}\n", row.name, row.help, choices_text(row));
}

}  // namespace

int info_command(Arguments arguments) {
  CommandLine line(
      "marshal info",
      "List every setting of Marshal: default, value now, where it came from, what it does. Tell of each MPI "
      "library whether Marshal's engine moves datatypes in its messages.");
  bool json = false, quick = false, profile = false, mdoc = false, completion = false;
  line.flag("--json", json, "as JSON");
  line.flag("--quick", quick, "start no MPI program to look how messages are moved");
  line.flag("--profile", profile, "list what runs taught about the grids of programs instead, as marshal profile does");
  line.flag("--mdoc", mdoc, "as entries of the manual", {.hidden = true});
  line.flag("--bash-completion", completion, "as the completion for bash", {.hidden = true});
  if (const auto over = line.parse(arguments)) return *over;
  if (mdoc || completion) {
    fmt::print("{}", mdoc ? mappers_as_mdoc() + settings_as_mdoc() : bash_completion());
    return 0;
  }
  const Options options = Options::load(environ);
  for (const std::string& problem : options.problems()) say_line(Level::error, problem);
  if (profile) return list_profiles(options, {}, json);
  const std::vector<std::string> directories = library_directories();
  const std::vector<ConfiguredHost> hosts = quick ? std::vector<ConfiguredHost>{} : configured_hosts();
  if (!json) {
    print_text(options, directories, hosts);
    return 0;
  }
  report::Json libraries;
  const std::string preloaded = preload_library(directories);
  for (const MpiLibrary& library : mpi_libraries) libraries.add(library.tag, library_for(library.tag, preloaded));
  const auto document = report::Json::object({{"marshal_version", MARSHAL_VERSION},
                                              {"problems", options.problems()},
                                              {"preload", preloaded},
                                              {"libraries", std::move(libraries)},
                                              {"messages", messages_json(hosts, preloaded)},
                                              {"settings", settings_json(options)}});
  fmt::print("{}\n", report::json_text(document, 1));
  return 0;
}

}  // namespace marshal::tools
