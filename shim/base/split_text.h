// Splits lists in settings, options and files, and reads their numbers: "blocks, lut", "4x8", "0,1; 0,-1".
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

namespace marshal {

// Without the blanks at both ends.
std::string_view trimmed(std::string_view text);

// The parts between separators, trimmed; parts may be empty, and an empty text is one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

// The words between blanks, tabs and carriage returns; none is empty.
std::vector<std::string_view> split_at_blanks(std::string_view text);

// False unless the whole text is a number of this type, in decimal digits.
template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace marshal
