#include "base/options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "base/launcher.h"
#include "base/nearest_name.h"
#include "base/small_file.h"
#include "base/split_text.h"

namespace marshal {
namespace {

constexpr std::string_view prefix = "MARSHAL_";

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// -1: none.
int index_of_word(const OptionRow& row, std::string_view text) {
  const std::vector<std::string_view> words = words_of(row);
  const auto found = std::find(words.begin(), words.end(), lower(text));
  return found == words.end() ? -1 : static_cast<int>(found - words.begin());
}

struct Number {
  double value = 0;
  bool suffix = false;
  bool valid = false;
};

// A decimal number, optionally with K, M, G, T (powers of 1024), optionally followed by B or iB.
Number parse_number(std::string_view text) {
  const std::string copy(text);
  if (copy.empty() ||
      !(std::isdigit(static_cast<unsigned char>(copy[0])) || copy[0] == '.' || copy[0] == '-' || copy[0] == '+'))
    return {};
  char* end = nullptr;
  errno = 0;
  Number number;
  number.value = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str() || errno == ERANGE || !std::isfinite(number.value)) return {};
  std::string suffix = lower(end);
  if (!suffix.empty()) {
    number.suffix = true;
    constexpr std::string_view powers = "kmgt";
    if (const auto power = powers.find(suffix[0]); power != std::string_view::npos) {
      number.value *= std::exp2(10.0 * static_cast<double>(power + 1));
      suffix.erase(0, 1);
      if (suffix == "ib") suffix.erase(0, 1);
    }
    if (suffix != "" && suffix != "b") return {};
  }
  number.valid = true;
  return number;
}

std::string plain_number(double value) {
  return value == std::floor(value) && std::fabs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{:g}", value);
}

std::string parse_words(const OptionRow& row, std::string_view text, OptionValue& value) {
  value.words = 0;
  value.word = -1;
  value.text.clear();
  for (const std::string_view part : split(text, ',')) {
    const int word = index_of_word(row, part);
    if (word < 0) return fmt::format("'{}' is none of its choices", part);
    value.words |= std::uint64_t{1} << word;
    value.word = word;
    value.text.append(value.text.empty() ? "" : ",").append(words_of(row)[static_cast<std::size_t>(word)]);
  }
  // The first word of a list (none, auto) stands alone.
  if ((value.words & 1) != 0 && value.words != 1)
    return fmt::format("'{}' cannot be combined with others", words_of(row).front());
  return {};
}

std::string parse_numeric(const OptionRow& row, std::string_view text, OptionValue& value) {
  const Number number = parse_number(text);
  if (!number.valid) return "it is neither a number nor one of its words";
  if (number.value != std::floor(number.value)) return "it must be a whole number";
  if (number.value < row.min || number.value > row.max)
    return fmt::format("it must be from {} to {}", plain_number(row.min), plain_number(row.max));
  if (number.value > 9e18) return "it is too large";
  value.integer = static_cast<std::int64_t>(number.value);
  value.bytes = row.kind == OptionKind::segment && number.suffix;
  return {};
}

const OptionRow* find_row(std::string_view name) {
  for (const OptionRow& candidate : option_table())
    if (candidate.name == name) return &candidate;
  return nullptr;
}

std::string unknown_name(const Setting& setting) {
  std::vector<std::string_view> names;
  for (const OptionRow& candidate : option_table())
    if (!candidate.hidden) names.push_back(candidate.name);
  const std::string_view nearest = nearest_name(setting.name, names);
  if (nearest.empty())
    return fmt::format("{} ({}) is no setting of Marshal; `marshal info` lists them", setting.name, setting.where);
  return fmt::format("{} ({}) is no setting of Marshal; did you mean {}?", setting.name, setting.where, nearest);
}

}  // namespace

const FormerSetting* find_former(std::string_view name, std::string_view value) {
  for (const FormerSetting& former : former_settings())
    if (former.name == name && (former.value.empty() || former.value == lower(trimmed(value)))) return &former;
  return nullptr;
}

std::vector<std::string_view> words_of(const OptionRow& row) {
  return row.words.empty() ? std::vector<std::string_view>() : split(row.words, ' ');
}

std::string long_option(const OptionRow& row) {
  std::string name = lower(row.name.substr(prefix.size()));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string choices_text(const OptionRow& row) {
  std::string text = fmt::format("{}", fmt::join(words_of(row), ", "));
  if (row.kind == OptionKind::words) return "any of " + text;
  if (row.form.empty()) return text;
  std::string form(row.form);
  if (row.kind == OptionKind::integer)
    form += fmt::format(" from {} to {}", plain_number(row.min), plain_number(row.max));
  return text.empty() ? form : text + " or " + form;
}

std::string_view source_name(Source source) {
  constexpr std::array<std::string_view, 5> names{"default", "site file", "file", "environment", "command line"};
  return names[static_cast<std::size_t>(source)];
}

std::string parse_option(const OptionRow& row, std::string_view typed, OptionValue& value) {
  const std::string_view text = trimmed(typed);
  OptionValue parsed;
  parsed.text = text;
  std::string why;
  parsed.word = index_of_word(row, text);
  if (row.kind == OptionKind::on_or_off && parsed.word < 0) {
    const std::string word = lower(text);
    if (word == "0" || word == "no" || word == "false") parsed.word = 0;
    if (word == "1" || word == "yes" || word == "true") parsed.word = 1;
  }
  if (parsed.word >= 0) parsed.text = words_of(row)[static_cast<std::size_t>(parsed.word)];
  switch (row.kind) {
    case OptionKind::word:
    case OptionKind::on_or_off:
      if (parsed.word >= 0) break;
      parsed.text = lower(text);
      why = row.why_not != nullptr ? row.why_not(parsed.text) : "it is none of its choices";
      break;
    case OptionKind::words:
      why = parse_words(row, text, parsed);
      break;
    case OptionKind::integer:
    case OptionKind::segment:
      if (parsed.word < 0) why = parse_numeric(row, text, parsed);
      break;
    case OptionKind::text:
      if (parsed.word < 0 && row.why_not != nullptr) why = row.why_not(text);
      break;
    case OptionKind::directory:
      if (parsed.word < 0 && text.find('/') == std::string_view::npos)
        why = "it is none of its choices, and a directory has a slash in its name";
      break;
  }
  if (why.empty()) value = std::move(parsed);
  return why;
}

std::vector<Setting> settings_of_environment(const char* const* environment) {
  std::vector<Setting> settings;
  std::string_view marked;
  for (const char* const* entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (!text.starts_with(prefix) || equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals), value = text.substr(equals + 1);
    if (name == command_line_marker) marked = value;
    if (name == command_line_marker || name == run_process_variable) continue;
    settings.push_back({std::string(name), std::string(value), Source::environment, "environment"});
  }
  for (Setting& setting : settings) {
    if (("," + std::string(marked) + ",").find("," + setting.name + ",") == std::string::npos) continue;
    setting.source = Source::command_line;
    setting.where = "command line";
  }
  return settings;
}

std::vector<Setting> settings_of_file(std::string_view text, Source source, std::string_view path,
                                      std::vector<std::string>& problems) {
  std::vector<Setting> settings;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto end = line.find_first_of("= \t");
    if (end == std::string_view::npos || end == 0) {
      problems.push_back(fmt::format("{}:{}: '{}' is not NAME = value; the line is left out", path, number, line));
      continue;
    }
    std::string_view value = trimmed(line.substr(end));
    if (value.starts_with('=')) value = trimmed(value.substr(1));
    std::string name(line.substr(0, end));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::toupper(c)); });
    if (!name.starts_with(prefix)) name.insert(0, prefix);
    settings.push_back({std::move(name), std::string(value), source, fmt::format("{}:{}", path, number)});
  }
  return settings;
}

Options::Options() {
  for (const OptionRow& entry : option_table())
    parse_option(entry, entry.initial, values_[static_cast<std::size_t>(entry.option)]);
}

Options Options::resolve(std::span<const Setting> settings) {
  Options options;
  std::vector<Setting> former;
  // A value of the same name that is as strong takes its place.
  const auto forget_former = [&](const Setting& by) {
    std::erase_if(former, [&](const Setting& old) { return old.name == by.name && old.source <= by.source; });
  };
  for (const Setting& setting : settings) {
    if (const FormerSetting* const one = find_former(setting.name, setting.value)) {
      if (setting.value.empty()) continue;
      forget_former(setting);
      options.problems_.push_back(
          fmt::format("{}={} ({}) is no setting any more: {}", setting.name, setting.value, setting.where, one->use));
      former.push_back(setting);
      continue;
    }
    const OptionRow* entry = find_row(setting.name);
    if (entry == nullptr) {
      options.problems_.push_back(unknown_name(setting));
      continue;
    }
    if (setting.value.empty()) continue;  // VARIABLE= means unset, as scripts write it
    OptionValue& value = options.values_[static_cast<std::size_t>(entry->option)];
    OptionValue parsed;
    if (const std::string why = parse_option(*entry, setting.value, parsed); !why.empty()) {
      options.problems_.push_back(fmt::format("{}='{}' ({}) is not used: {}; choices: {}", setting.name, setting.value,
                                              setting.where, why, choices_text(*entry)));
      continue;
    }
    if (setting.source < value.source) continue;
    forget_former(setting);
    value = std::move(parsed);
    value.source = setting.source;
    value.where = setting.where;
  }
  options.apply_mode();
  for (const Setting& setting : former) options.apply_former(setting);
  return options;
}

void Options::apply_former(const Setting& setting) {
  for (const FormerSetting& former : former_settings()) {
    if (former.name != setting.name || former.value.empty() || former.value != lower(trimmed(setting.value))) continue;
    OptionValue& value = values_[static_cast<std::size_t>(former.option)];
    if (value.by_mode) continue;  // switched off already
    const bool adds = former.sets.starts_with(',');
    if (!adds && setting.source < value.source) continue;
    const std::string text = adds && value.source != Source::built_in ? value.text + std::string(former.sets)
                                                                      : std::string(former.sets.substr(adds));
    const Source source = std::max(value.source, setting.source);
    if (!parse_option(row(former.option), text, value).empty()) continue;  // the option says it already
    value.source = source;
    value.where = setting.name + "=" + setting.value;
  }
}

void Options::apply_mode() {
  const OptionValue& mode = (*this)[Option::mode];
  for (const ModeValue& given : mode_table()) {
    OptionValue& value = values_[static_cast<std::size_t>(given.option)];
    if (!is(Option::mode, given.mode)) continue;
    if (value.source >= mode.source) {
      // It says nothing of grids: they are as the mode has them.
      if (given.option == Option::cart && value.text.starts_with("graphs:")) {
        OptionValue both;
        parse_option(row(given.option), std::string(given.value) + "," + value.text, both);
        value.text = both.text;
      }
      continue;
    }
    parse_option(row(given.option), given.value, value);
    value.source = mode.source;
    value.where = fmt::format("{}={}", row(Option::mode).name, given.mode);
    value.by_mode = true;
  }
}

std::string Options::cause(Option option) const {
  const OptionValue& value = (*this)[option];
  return value.by_mode ? value.where : fmt::format("{}={}", row(option).name, value.text);
}

Options Options::load(const char* const* environment, const char* site_file) {
  std::vector<std::string> problems;
  std::vector<Setting> settings;
  const auto read = [&](const char* path, Source source, bool must_exist) {
    std::string text;
    if (const std::string why = read_small_file(path, text); !why.empty() && must_exist)
      problems.push_back(fmt::format("MARSHAL_CONFIG={}: the file cannot be read ({}); it is left out", path, why));
    for (Setting& setting : settings_of_file(text, source, path, problems)) settings.push_back(std::move(setting));
  };
  read(site_file != nullptr ? site_file : MARSHAL_SYSCONFDIR "/marshal.conf", Source::site, false);
  std::vector<Setting> found = settings_of_environment(environment);
  for (const Setting& setting : found)
    if (setting.name == row(Option::config).name && !setting.value.empty())
      read(setting.value.c_str(), Source::file, true);
  settings.insert(settings.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  Options options = resolve(settings);
  options.problems_.insert(options.problems_.begin(), problems.begin(), problems.end());
  return options;
}

std::string_view Options::word(Option option) const {
  const int word = (*this)[option].word;
  return word < 0 ? std::string_view() : words_of(row(option))[static_cast<std::size_t>(word)];
}

bool Options::has(Option option, std::string_view word_wanted) const {
  const int index = index_of_word(row(option), word_wanted);
  return index >= 0 && ((*this)[option].words >> index & 1) != 0;
}

}  // namespace marshal
