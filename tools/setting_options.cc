#include "tools/setting_options.h"

#include <fmt/ranges.h>

namespace marshal::tools {
namespace {

std::string shape(const OptionRow& row) {
  if (row.kind == OptionKind::text || row.words.empty()) return std::string(row.form);
  std::string words = fmt::format("{}", fmt::join(words_of(row), "|"));
  if (row.kind == OptionKind::words) words += ",...";
  return row.form.empty() ? words : words + "|" + std::string(row.form);
}

}  // namespace

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

}  // namespace marshal::tools
