#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <type_traits>

namespace marshal::tools {

struct CommandLine::Parser {
  Parser(const std::string& name, const std::string& what) : app(what, name) {}
  CLI::App app;
};

namespace {

struct HelpWithCommand : CLI::Formatter {
  explicit HelpWithCommand(std::string usage) : usage_(std::move(usage)) { column_width(34); }
  std::string make_usage(const CLI::App*, std::string) const override { return usage_ + "\n"; }

 private:
  std::string usage_;
};

void obey(CLI::Option& option, const OptionRules& rules, bool whole) {
  if (!rules.type.empty()) option.type_name(std::string(rules.type));
  if (!rules.among.empty()) option.check(CLI::IsMember(rules.among));
  if (rules.least && rules.most) {
    if (whole)
      option.check(CLI::Range(static_cast<std::int64_t>(*rules.least), static_cast<std::int64_t>(*rules.most)));
    else
      option.check(CLI::Range(*rules.least, *rules.most));
  }
  if (rules.positive) option.check(CLI::PositiveNumber);
  if (rules.commas) option.delimiter(',');
  if (rules.words > 0) option.expected(rules.words);
  if (rules.required) option.required();
  if (rules.hidden) option.group("");
  if (rules.shows_default) option.capture_default_str();
}

}  // namespace

CommandLine::CommandLine(const std::string& name, const std::string& what)
    : parser_(std::make_unique<Parser>(name, what)) {}
CommandLine::~CommandLine() = default;

void CommandLine::option(const std::string& names, OptionTarget target, const std::string& help,
                         const OptionRules& rules) {
  std::visit(
      [&](auto* value) {
        using Value = std::remove_pointer_t<decltype(value)>;
        obey(*parser_->app.add_option(names, *value, help), rules, std::is_integral_v<Value>);
      },
      target);
}

void CommandLine::flag(const std::string& names, bool& target, const std::string& help, const OptionRules& rules) {
  obey(*parser_->app.add_flag(names, target, help), rules, false);
}

void CommandLine::counter(const std::string& names, int& target, const std::string& help) {
  parser_->app.add_flag(names, target, help)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void CommandLine::exclude(const std::string& flag, const std::string& other) {
  parser_->app.get_option(flag)->excludes(parser_->app.get_option(other));
}

void CommandLine::setting(const std::string& name, const std::string& help, const std::string& type,
                          const std::string& initial, std::function<std::string(const std::string&)> take) {
  const auto checked = [name, take = std::move(take)](const std::string& text) {
    if (const std::string why = take(text); !why.empty()) throw CLI::ValidationError(name, why);
  };
  CLI::Option* option = parser_->app.add_option_function<std::string>(name, checked, help);
  option->type_name(type)->group("Settings (marshal(7) tells more)")->default_str(initial);
  option->take_last()->expected(1);
}

void CommandLine::followed_by_command(const std::string& usage) {
  parser_->app.prefix_command()->formatter(std::make_shared<HelpWithCommand>("Usage: " + usage));
}

std::optional<int> CommandLine::parse(Arguments arguments) {
  std::string error;
  const std::optional<int> status = parse(arguments, error);
  if (!error.empty()) parser_->app.exit(CLI::ParseError(error, 2));
  return status;
}

std::optional<int> CommandLine::parse(Arguments arguments, std::string& error) {
  try {
    parser_->app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend() - 1));
    return std::nullopt;
  } catch (const CLI::Success& help) {
    return parser_->app.exit(help);
  } catch (const CLI::ParseError& problem) {
    error = problem.what();
    return 2;
  }
}

std::vector<std::string> CommandLine::rest() const { return parser_->app.remaining(); }

std::vector<std::string> CommandLine::long_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : std::as_const(parser_->app).get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace marshal::tools
