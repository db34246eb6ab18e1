// Where the texts of a command go: standard output, and the files that a user names. All throw std::runtime_error, with
// one line, where nothing can be written.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

namespace marshal::tools {

// Lines for a reader, made harmless to a terminal (base/printable_text.h). Names in foreign files may hold anything: a
// line above 8 KiB loses its end.
void print_lines(std::string_view text);
template <typename... Args>
void print_formatted(fmt::format_string<Args...> format, Args&&... args) {
  print_lines(fmt::format(format, std::forward<Args>(args)...));
}

// JSON, CSV and what a launcher reads: as it is.
void print_whole(std::string_view text);

// The part of an amount that is left; 1 where there was none.
template <typename Amount>
double ratio(Amount after, Amount before) {
  return before > 0 ? static_cast<double>(after) / static_cast<double>(before) : 1.0;
}

// The file that the user named is new, or replaced.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace marshal::tools
