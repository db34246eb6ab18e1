#include "tools/setting_options.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "base/nearest_name.h"
#include "base/options.h"
#include "base/printable_text.h"
#include "tools/output.h"

namespace marshal::tools {
namespace {

std::string shape(const OptionRow& row) {
  if (row.kind == OptionKind::text || row.words.empty()) return std::string(row.form);
  std::string words = fmt::format("{}", fmt::join(words_of(row), "|"));
  if (row.kind == OptionKind::words) words += ",...";
  return row.form.empty() ? words : words + "|" + std::string(row.form);
}

// One option for each setting that is not hidden, in a group of their own. A value that is not allowed is an error that
// names the choices.
void add_setting_options(CommandLine& line, Variables& given) {
  for (const OptionRow& row : option_table()) {
    if (row.hidden || row.option == Option::verbose) continue;  // -v and -q set the level
    const auto take = [&row, &given](const std::string& text) {
      OptionValue value;
      if (const FormerSetting* const former = find_former(row.name, text))
        return fmt::format("'{}' is no value any more: {}", text, former->use);
      // `--cart=` unsets a variable, as `MARSHAL_CART=` does.
      if (const std::string why = parse_option(row, text, value); !text.empty() && !why.empty())
        return fmt::format("'{}': {}; choices: {}", text, why, choices_text(row));
      given[std::string(row.name)] = text.empty() ? text : value.text;
      return std::string();
    };
    line.setting("--" + long_option(row), std::string(row.help), shape(row), std::string(row.initial), take);
  }
}

// Why the command begins with an option, which was mistyped; empty: it does not.
std::string mistyped_option(const std::string& name, const std::vector<std::string>& command,
                            const std::vector<std::string>& names) {
  if (command.empty() || !command.front().starts_with('-')) return {};
  const std::string typed = command.front().substr(0, command.front().find('='));
  for (const FormerSetting& former : former_settings())
    if (former.value.empty() && typed == "--" + long_option({{}, former.name, OptionKind::text, "", "", ""}))
      return fmt::format("{}: {} is no option any more: {}", name, typed, former.use);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view nearest = nearest_name(typed, views);
  return fmt::format("{}: no option {}{}", name, typed,
                     nearest.empty() ? fmt::format("; `marshal {} --help` lists them", name)
                                     : fmt::format("; did you mean {}?", nearest));
}

}  // namespace

void add_run_options(CommandLine& line, RunOptions& options) {
  line.flag("--dry-run", options.dry_run, "print the command that would be started, and start nothing");
  line.counter("-v,--verbose", options.verbose, "say what Marshal does; twice: in detail");
  line.flag("-q,--quiet", options.quiet, "say errors only");
  add_setting_options(line, options.settings);
}

std::optional<int> parse_run_options(CommandLine& line, Arguments arguments, const std::string& name,
                                     const std::string& lacking, RunOptions& options, std::string& error) {
  if (const auto over = line.parse(arguments, error)) {
    if (!error.empty()) error = fmt::format("{}: {}", name, error);
    return error.empty() ? *over : usage;
  }
  std::vector<std::string>& command = options.command;
  command = line.rest();
  if (!command.empty() && command.front() == "--")
    command.erase(command.begin());
  else
    error = mistyped_option(name, command, line.long_names());
  if (error.empty() && command.empty()) error = fmt::format("{}: {}", name, lacking);
  if (error.empty() && options.quiet && options.verbose > 0)
    error = name + ": --quiet and --verbose exclude each other";
  return error.empty() ? std::nullopt : std::optional(usage);
}

void mark_typed(Variables& variables) {
  std::string marker;
  for (const auto& [name, value] : variables) marker.append(marker.empty() ? "" : ",").append(name);
  if (!marker.empty()) variables[std::string(command_line_marker)] = marker;
}

Options options_of_run(Variables typed) {
  mark_typed(typed);
  std::vector<std::string> entries;
  for (const auto& [name, value] : typed) entries.push_back(fmt::format("{}={}", name, value));
  for (const char* const* entry = environ; *entry != nullptr; ++entry)
    if (const std::string text(*entry); !typed.contains(text.substr(0, text.find('=')))) entries.push_back(text);
  std::vector<const char*> environment;
  for (const std::string& entry : entries) environment.push_back(entry.c_str());
  environment.push_back(nullptr);
  return Options::load(environment.data());
}

void print_command(const Variables& variables, const std::vector<std::string>& command) {
  std::string line = "env";
  for (const auto& [name, value] : variables) line += " " + name + "=" + shell_word(value);
  for (const std::string& word : command) line += " " + shell_word(word);
  print_whole(line + "\n");
}

int become(const Variables& variables, const std::string& path, const std::vector<std::string>& command) {
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(path.c_str(), words.data());
  if (errno != ENOEXEC) return errno;
  words.insert(words.begin(), const_cast<char*>("/bin/sh"));  // as execvp treats it
  words[1] = const_cast<char*>(path.c_str());
  execv("/bin/sh", words.data());
  return errno;
}

}  // namespace marshal::tools
