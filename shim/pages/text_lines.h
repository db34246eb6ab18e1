// Lines of text of a limited width. Widths are columns of a screen: code points of UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace marshal::report {

std::size_t columns_of(std::string_view text);

// A text that is too long loses its middle: both ends tell things apart.
std::string cut(const std::string& text, std::size_t columns);

// Words of the text, in lines of at most so many columns. A word that is longer loses its middle.
std::vector<std::string> wrap(const std::string& text, std::size_t columns);

}  // namespace marshal::report
