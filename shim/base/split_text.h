// Splits lists in settings, options and files: "blocks, lut", "4x8", "0,1; 0,-1".
#pragma once

#include <string_view>
#include <vector>

namespace marshal {

// Without the blanks at both ends.
std::string_view trimmed(std::string_view text);

// The parts between separators, trimmed; parts may be empty, and an empty text is one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

// The words between blanks, tabs and carriage returns; none is empty.
std::vector<std::string_view> split_at_blanks(std::string_view text);

}  // namespace marshal
