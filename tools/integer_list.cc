#include "tools/integer_list.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "base/split_text.h"

namespace marshal::tools {

std::vector<int> integers(std::string_view text, char separator, int least, std::string_view option, int most) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, separator)) {
    int number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool is_number = error != std::errc::invalid_argument && end == part.data() + part.size();
    if (!is_number) throw std::invalid_argument(fmt::format("{}: '{}' is no number", option, part));
    if (error == std::errc::result_out_of_range || number < least || number > most)
      throw std::invalid_argument(fmt::format("{}: {} is not from {} to {}", option, part, least, most));
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace marshal::tools
