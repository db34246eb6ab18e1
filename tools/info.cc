// marshal info: every setting with its default, the value in force, where that came from and what it does; and what
// Marshal finds in the hosts.
#include <config.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <exception>
#include <optional>

#include "base/message.h"
#include "base/options.h"
#include "base/small_file.h"
#include "mapping/mappers.h"
#include "pages/pages.h"
#include "pages/table.h"
#include "record/json.h"
#include "record/record.h"
#include "tools/command_line.h"
#include "tools/mpi_program.h"
#include "tools/output.h"
#include "tools/preloading.h"

namespace marshal::tools {
namespace {

using report::Table;

// Whether Marshal's engine moves datatypes in messages on a host.
struct HostMessages {
  std::string mpi;         // the library's name and version; empty where it could not be tried
  bool by_engine = false;  // else `why_not` has the reason
  std::string why_not;
  std::string why_at_calls;  // of an engine that packs before the library's calls; empty where it is in its pipeline
};

// Starts a program of one process there, with `library` in front of it, whose report tells. Takes as long as the host's
// launcher, at most 20 s.
HostMessages tried(const ConfiguredHost& host, const std::string& program, const std::string& library) {
  const ScratchDirectory scratch;
  const std::string file = scratch.file("report");
  std::vector<std::string> command{"timeout", "--kill-after=5", "20"};
  for (std::string& word : launch_command(
           host, 1, {"MARSHAL_REPORT=json", "MARSHAL_REPORT_FILE=" + file, "MARSHAL_VERBOSE=0"}, {library}, {program}))
    command.push_back(std::move(word));
  const int status = run_to_end(command, Streams::captured_quietly).status;
  std::string text, why_not;
  if (!read_small_file(file + ".json", text).empty())
    return {"", false, fmt::format("not tried: {} ended with status {} and left no report", host.launcher, status), ""};
  const std::optional<report::Record> record = report::from_json(text, why_not);
  if (!record) return {"", false, fmt::format("not tried: its report: {}", why_not), ""};
  const std::string& way = record->job.messages;
  const std::string why_at_calls(report::why_at_calls(way));
  const bool by_engine = way == report::in_pipeline || !why_at_calls.empty();
  return {record->job.mpi, by_engine, by_engine ? "" : way, why_at_calls};
}

HostMessages messages_on(const ConfiguredHost& host, const std::string& library) {
  const std::string program = mpi_program("marshal-overhead", host.family);
  if (program.empty() || library.empty()) return {"", false, "not tried: Marshal is not installed for it", ""};
  try {
    return tried(host, program, library);
  } catch (const std::exception& failure) {
    return {"", false, fmt::format("not tried: {}", failure.what()), ""};
  }
}

struct MpiLibrary {
  const char* tag;
  const char* mpi;
};
constexpr MpiLibrary mpi_libraries[] = {{"openmpi", "Open MPI"}, {"mpich", "MPICH"}, {"abi", "the MPI ABI"}};

std::string source_text(const OptionValue& value) {
  const bool named = value.by_mode || value.source == Source::file || value.source == Source::site;
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
    all.add(family_tag(host.family), report::Json::object({{"mpi", found.mpi},
                                                           {"by_engine", found.by_engine},
                                                           {"why_not", found.why_not},
                                                           {"why_at_calls", found.why_at_calls}}));
  }
  return all;
}

void print_messages(const std::vector<ConfiguredHost>& hosts, const std::string& library) {
  for (const ConfiguredHost& host : hosts) {
    const HostMessages found = messages_on(host, library);
    print_formatted("  datatypes in messages, {}: {}\n", found.mpi.empty() ? family_name(host.family) : found.mpi,
                    !found.by_engine ? fmt::format("left to the MPI library ({})", found.why_not)
                    : found.why_at_calls.empty()
                        ? "moved by Marshal's engine"
                        : fmt::format("packed by Marshal's engine at the calls ({})", found.why_at_calls));
  }
}

void print_text(const Options& options, const std::vector<std::string>& directories,
                const std::vector<ConfiguredHost>& hosts) {
  print_formatted("Marshal {}\n", PACKAGE_VERSION);
  const auto shown_path = [](const std::string& path) { return path.empty() ? "not installed" : path; };
  const std::string preloaded = preload_library(directories);
  print_formatted("  LD_PRELOAD takes:              {}\n", shown_path(preloaded));
  for (const MpiLibrary& library : mpi_libraries)
    print_formatted("  opened for {:20}{}\n", std::string(library.mpi) + ":",
                    shown_path(library_for(library.tag, preloaded)));
  print_messages(hosts, preloaded);
  print_formatted("\n");
  Table table({{"variable", report::Align::left},
               {"default", report::Align::left, 20},
               {"value now", report::Align::left, 30},
               {"from", report::Align::left, 40}});
  for (const OptionRow& row : option_table()) {
    if (row.hidden) continue;
    const OptionValue& value = options[row.option];
    const auto shown = [](std::string_view text) { return text.empty() ? std::string("-") : std::string(text); };
    table.add({std::string(row.name), shown(row.initial), shown(value.text), source_text(value)});
  }
  print_formatted("{}\n", table.text());
  for (const OptionRow& row : option_table())
    if (!row.hidden) print_formatted("{}\n    {}\n    takes {}\n", row.name, row.help, choices_text(row));
}

// mdoc reads a backslash as an escape, a hyphen in a name as breakable, and a line's first dot or quote as a macro.
std::string mdoc(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '~')
      out += "\\(ti";
    else
      out.push_back(c);
  }
  return out;
}

constexpr std::string_view completion_script =
    R"bash(# Completion of marshal(1) for bash. Made by `marshal info --bash-completion`.
# The first words, or long options, of lines of a command's --help.
_marshal_of_help() {
  "${COMP_WORDS[0]}" "${@:2}" --help 2> /dev/null | sed -n "$1"
}
_marshal() {
  local names='s/^  \([a-z][a-z]*\)  *[a-z].*/\1/p' options='s/^ *\(-[a-z], *\)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p'
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words= i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$(_marshal_of_help "$names") --help --version" -- "$current"))
    return
  fi
  # bash makes words of its own of "--cart=best": "--cart", "=", "best".
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $command in
    run)
      # Behind the program, files and whatever the program takes.
      for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
          --) COMPREPLY=($(compgen -c -f -- "$current")) && return ;;
          -v | --verbose | -q | --quiet | --dry-run | -h | --help | =) ;;
          -*) [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++)); ((i++)) ;;
          *) compopt -o default 2> /dev/null; return ;;
        esac
      done
      case $previous in
        --mpi) words="openmpi mpich" ;;
@CASES@        *) words="--mpi --dry-run --verbose --quiet --help @OPTIONS@" ;;
      esac
      if [[ $words == FILE ]]; then
        COMPREPLY=($(compgen -f -- "$current"))
      elif [[ $words == --mpi* && $current != -* ]]; then
        COMPREPLY=($(compgen -c -- "$current") $(compgen -f -- "$current"))
      else
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      fi
      ;;
    *)
      local asked=("$command")
      if [[ $command == bench ]]; then
        ((COMP_CWORD == 2)) && words=$(_marshal_of_help "$names" bench)
        asked+=("${COMP_WORDS[2]}")
      fi
      [[ $command == profile ]] && ((COMP_CWORD == 2)) && words="list forget"
      case $previous in
        --mapper) words="@MAPPERS@ all" ;;
        --stencil) words="star box" ;;
        --ties) words="first last" ;;
        --mpi) words="openmpi mpich" ;;
        --way) words="namespaces launcher" ;;
      esac
      if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$(_marshal_of_help "$options" "${asked[@]}")" -- "$current"))
      elif [[ $words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      else
        COMPREPLY=($(compgen -f -- "$current"))
      fi
      ;;
  esac
}
complete -F _marshal marshal
)bash";

void replace(std::string& text, std::string_view what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
}

// The tables of settings and mappers as parts of the manual, which a test compares: entries of an mdoc list, one for
// each mapper, then one for each setting that is not hidden.
std::string tables_as_mdoc() {
  std::string out;
  for (const mapping::MapperRow& row : mapping::mapper_table)
    out += fmt::format(".It {} {}\n{}{}.\n", row.by_name ? "Cm" : "No", row.name, mdoc(row.help),
                       row.nodes == mapping::Nodes::equal ? "; for nodes of one size that the grid fills" : "");
  for (const OptionRow& row : option_table()) {
    if (row.hidden) continue;
    out += fmt::format(".It Ev {}\n{}.\nTakes {}; the default is {}.\n", row.name, mdoc(row.help),
                       mdoc(choices_text(row)), row.initial.empty() ? "empty" : mdoc(row.initial));
  }
  return out;
}

// The whole completion for bash, which the build makes. Commands and their options are asked of --help; the settings of
// `run`, which have values to complete, are written down in it.
std::string bash_completion() {
  std::string cases, options;
  for (const OptionRow& row : option_table()) {
    if (row.hidden || row.option == Option::verbose) continue;
    const std::string option = "--" + long_option(row);
    options += (options.empty() ? "" : " ") + option;
    const std::vector<std::string_view> words = words_of(row);
    const bool file = row.form == "FILE" || row.form == "PATTERN";
    if (file && words.empty())
      cases += fmt::format("        {}) words=FILE ;;\n", option);
    else
      cases += fmt::format("        {}) words=\"{}\" ;;\n", option, fmt::join(words, " "));
  }
  std::string text(completion_script);
  replace(text, "@CASES@", cases);
  replace(text, "@OPTIONS@", options);
  replace(text, "@MAPPERS@", mapping::mapper_names(" "));
  return text;
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
    print_whole(mdoc ? tables_as_mdoc() : bash_completion());
    return 0;
  }
  if (profile) {
    std::string command = "profile", as_json = "--json";
    char* words[] = {command.data(), as_json.data()};
    return profile_command({words, json ? 2U : 1U});
  }
  const Options options = Options::load(environ);
  for (const std::string& problem : options.problems()) say_line(Level::error, problem);
  const std::vector<std::string> directories = library_directories();
  const std::vector<ConfiguredHost> hosts = quick ? std::vector<ConfiguredHost>{} : configured_hosts();
  if (!json) {
    print_text(options, directories, hosts);
    return 0;
  }
  report::Json libraries;
  const std::string preloaded = preload_library(directories);
  for (const MpiLibrary& library : mpi_libraries) libraries.add(library.tag, library_for(library.tag, preloaded));
  const auto document = report::Json::object({{"marshal_version", PACKAGE_VERSION},
                                              {"problems", options.problems()},
                                              {"preload", preloaded},
                                              {"libraries", std::move(libraries)},
                                              {"messages", messages_json(hosts, preloaded)},
                                              {"settings", settings_json(options)}});
  print_whole(report::json_text(document, 1) + "\n");
  return 0;
}

}  // namespace marshal::tools
