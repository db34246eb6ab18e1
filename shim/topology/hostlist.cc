#include "topology/hostlist.h"

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>

#include "base/split_text.h"

namespace marshal::topology {
namespace {

constexpr std::size_t longest_name = 255;  // of a host in the DNS

[[noreturn]] void wrong(std::string_view element, std::string_view what) {
  throw std::invalid_argument(fmt::format("host names '{}': {}", element, what));
}

bool is_part_of_name(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return text.find_first_not_of(allowed) == text.npos;
}

std::uint64_t number_of(std::string_view text, std::string_view element) {
  std::uint64_t value = 0;
  if (!read_number(text, value)) wrong(element, fmt::format("'{}' is no number", text));
  return value;
}

// The numbers of "0-3,07", with their leading zeros.
std::vector<std::string> numbers_in(std::string_view bracket, std::string_view element) {
  std::vector<std::string> numbers;
  for (const std::string_view range : split(bracket, ',')) {
    const std::size_t dash = range.find('-');
    const std::string_view low = range.substr(0, dash);
    const std::uint64_t first = number_of(low, element);
    const std::uint64_t last = dash == range.npos ? first : number_of(range.substr(dash + 1), element);
    if (last < first) wrong(element, fmt::format("the range '{}' ends before it begins", range));
    if (last - first >= most_hosts - numbers.size()) wrong(element, fmt::format("more than {} names", most_hosts));
    for (std::uint64_t i = 0; i <= last - first; ++i)
      numbers.push_back(fmt::format("{:0{}}", first + i, std::min(low.size(), longest_name)));
  }
  return numbers;
}

// Each name with each ending.
void append(std::vector<std::string>& names, const std::vector<std::string>& endings, std::string_view element) {
  if (endings.size() > most_hosts / names.size()) wrong(element, fmt::format("more than {} names", most_hosts));
  std::vector<std::string> longer;
  longer.reserve(names.size() * endings.size());
  for (const std::string& name : names)
    for (const std::string& ending : endings) {
      if (name.size() + ending.size() > longest_name) wrong(element, "a name is too long");
      longer.push_back(name + ending);
    }
  names = std::move(longer);
}

// The names of "n[0-3]-ib": no comma stands outside of brackets.
std::vector<std::string> names_of(std::string_view element) {
  std::vector<std::string> names{""};
  for (std::size_t begin = 0; begin < element.size();) {
    const std::size_t open = std::min(element.find('[', begin), element.size());
    const std::string_view text = element.substr(begin, open - begin);
    if (!is_part_of_name(text)) wrong(element, fmt::format("'{}' is no part of a host name", text));
    append(names, {std::string(text)}, element);
    if (open == element.size()) break;
    const std::size_t close = element.find(']', open);
    if (close == element.npos) wrong(element, "a bracket has no end");
    append(names, numbers_in(element.substr(open + 1, close - open - 1), element), element);
    begin = close + 1;
  }
  if (names.front().empty()) wrong(element, "a name is missing");
  return names;
}

// Where the first element of `text` ends: at a comma outside of brackets, or at the end.
std::size_t end_of_element(std::string_view text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (text[i] == ',' && !inside) return i;
  }
  return text.size();
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view text) {
  std::vector<std::string> all;
  for (;;) {
    const std::size_t end = end_of_element(text);
    std::vector<std::string> names = names_of(trimmed(text.substr(0, end)));
    if (names.size() > most_hosts - all.size())
      wrong(text.substr(0, end), fmt::format("more than {} names", most_hosts));
    all.insert(all.end(), std::make_move_iterator(names.begin()), std::make_move_iterator(names.end()));
    if (end == text.size()) return all;
    text.remove_prefix(end + 1);
  }
}

}  // namespace marshal::topology
