#include "tools/integer_list.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "base/split_text.h"

namespace marshal::tools {

std::vector<int> integers(std::string_view text, char separator, int least, std::string_view option) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, separator)) {
    int number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || end != part.data() + part.size() || number < least)
      throw std::invalid_argument(fmt::format("{}: '{}' is no number from {} on", option, part, least));
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace marshal::tools
