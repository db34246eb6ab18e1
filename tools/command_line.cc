#include "tools/command_line.h"

// Validators of paths, which no option here uses, are left out.
#define CLI11_HAS_FILESYSTEM 0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <type_traits>

#include "base/split_text.h"

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

template <typename T>
constexpr bool is_list = false;
template <typename T>
constexpr bool is_list<std::vector<T>> = true;

bool parse_word(const std::string& word, std::string& value) {
  value = word;
  return true;
}
template <typename Number>
bool parse_word(const std::string& word, Number& value) {
  return read_number(word, value);
}
template <typename T>
bool read_words(const std::vector<std::string>& words, T& value) {
  return parse_word(words.back(), value);
}
template <typename T>
bool read_words(const std::vector<std::string>& words, std::vector<T>& values) {
  std::vector<T> all;
  for (const std::string& word : words)
    if (!parse_word(word, all.emplace_back())) return false;
  values = std::move(all);
  return true;
}

std::string default_text(const std::string& value) { return value; }
template <typename Number>
std::string default_text(Number value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}
template <typename T>
std::string default_text(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ",") + default_text(value);
  return text;
}

template <typename T>
const char* type_word(const T*) {
  return std::is_floating_point_v<T> ? "NUMBER" : std::is_integral_v<T> ? "INTEGER" : "TEXT";
}
template <typename T>
const char* type_word(const std::vector<T>*) {
  return type_word(static_cast<const T*>(nullptr));
}

// Why a word is not within the bounds, or nothing.
std::string out_of_bounds(const std::string& word, const OptionRules& rules) {
  double number = 0;
  if (!parse_word(word, number)) return word + " is not a number";
  if (rules.positive && number <= 0) return word + " is not above 0";
  if ((rules.least && number < *rules.least) || (rules.most && number > *rules.most))
    return word + " is not between " + default_text(*rules.least) + " and " + default_text(*rules.most);
  return {};
}

void obey(CLI::Option& option, const OptionRules& rules) {
  if (!rules.type.empty()) option.type_name(std::string(rules.type));
  if (!rules.among.empty()) option.check(CLI::IsMember(rules.among));
  if (rules.positive || rules.least)
    option.check(
        CLI::Validator([rules](std::string& word) { return out_of_bounds(word, rules); },
                       rules.positive ? "above 0" : default_text(*rules.least) + " to " + default_text(*rules.most)));
  if (rules.commas) option.delimiter(',');
  if (rules.words > 0) option.expected(rules.words);
  if (rules.required) option.required();
  if (rules.hidden) option.group("");
}

// The option that a word names; null for any other word.
const CLI::Option* named(const CLI::App& app, const std::string& word) {
  return word.size() > 1 && word[0] == '-' ? app.get_option_no_throw(word) : nullptr;
}

// The words as CLI11 needs them: it takes "--name=" for a name without a value, and the next word for the value. The
// words of a command that follows are its own.
std::vector<std::string> with_empty_values(Arguments arguments, const CLI::App& app) {
  const std::vector<std::string> words(arguments.begin() + 1, arguments.end());
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" || (app.get_prefix_command() && !word.starts_with('-'))) {
      out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    const std::string name = word.ends_with('=') ? word.substr(0, word.size() - 1) : word;
    const CLI::Option* option = named(app, name);
    out.push_back(option != nullptr ? name : word);
    if (option == nullptr || option->get_expected_min() == 0) continue;  // a flag takes no word
    if (word.ends_with('='))
      out.emplace_back();
    else if (i + 1 < words.size())
      out.push_back(words[++i]);
  }
  return out;
}

}  // namespace

CommandLine::CommandLine(const std::string& name, const std::string& what)
    : parser_(std::make_unique<Parser>(name, what)) {}
CommandLine::~CommandLine() = default;

void CommandLine::option(const std::string& names, OptionTarget target, const std::string& help,
                         const OptionRules& rules) {
  const auto take = [target](const CLI::results_t& words) {
    return std::visit([&](auto* value) { return read_words(words, *value); }, target);
  };
  CLI::Option* option = parser_->app.add_option(names, CLI::callback_t(take), help);
  option->type_name(std::visit([](const auto* value) { return type_word(value); }, target));
  const bool list =
      std::visit([](const auto* value) { return is_list<std::remove_cvref_t<decltype(*value)>>; }, target);
  if (list) option->expected(CLI::detail::expected_max_vector_size);
  if (rules.shows_default)
    option->default_str(std::visit([](const auto* value) { return default_text(*value); }, target));
  obey(*option, rules);
}

void CommandLine::flag(const std::string& names, bool& target, const std::string& help, const OptionRules& rules) {
  obey(*parser_->app.add_flag_callback(
           names, [&target] { target = true; }, help),
       rules);
}

void CommandLine::counter(const std::string& names, int& target, const std::string& help) {
  parser_->app.add_flag_function(
      names, [&target](std::int64_t times) { target = static_cast<int>(times); }, help);
}

void CommandLine::exclude(const std::string& flag, const std::string& other) {
  parser_->app.get_option(flag)->excludes(parser_->app.get_option(other));
}

void CommandLine::setting(const std::string& name, const std::string& help, const std::string& type,
                          const std::string& initial, std::function<std::string(const std::string&)> take) {
  const auto checked = [name, take = std::move(take)](const CLI::results_t& words) {
    if (const std::string why = take(words.back()); !why.empty()) throw CLI::ValidationError(name, why);
    return true;
  };
  CLI::Option* option = parser_->app.add_option(name, CLI::callback_t(checked), help);
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
    std::vector<std::string> words = with_empty_values(arguments, parser_->app);
    std::reverse(words.begin(), words.end());
    parser_->app.parse(std::move(words));
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
