// Makes text from elsewhere safe to print on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace marshal {

// Control characters (escape, newline, those of Unicode's C1 block) become \x1b and the like; all else stays.
std::string printable(std::string_view text);

}  // namespace marshal
