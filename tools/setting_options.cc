#include "tools/setting_options.h"

#include <fmt/format.h>

namespace marshal::tools {
namespace {

std::string shape(const OptionRow& row) {
  if (row.kind == OptionKind::kText || row.words.empty()) return std::string(row.form);
  std::string words = fmt::format("{}", fmt::join(words_of(row), "|"));
  if (row.kind == OptionKind::kWords) words += ",...";
  return row.form.empty() ? words : words + "|" + std::string(row.form);
}

}  // namespace

void add_setting_options(CLI::App& app, std::map<std::string, std::string>& given) {
  for (const OptionRow& row : option_table()) {
    if (row.hidden || row.option == Option::kVerbose) continue;  // -v and -q set the level
    const auto take = [&row, &given](const std::string& text) {
      OptionValue value;
      if (const std::string why = parse_option(row, text, value); !why.empty())
        throw CLI::ValidationError("--" + long_option(row),
                                   fmt::format("'{}': {}; choices: {}", text, why, choices_text(row)));
      given[std::string(row.name)] = text;
    };
    CLI::Option* option = app.add_option_function<std::string>("--" + long_option(row), take, std::string(row.help));
    option->type_name(shape(row))->group("Settings (marshal(7) tells more)")->default_str(std::string(row.initial));
    option->take_last()->expected(1);
  }
}

}  // namespace marshal::tools
