#include "pages/text_lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/split_text.h"

namespace marshal::report {
namespace {

// Where the character number `wanted` begins.
std::size_t byte_of(const std::string& text, std::size_t wanted) {
  std::size_t byte = 0;
  for (std::size_t shown = 0; byte < text.size() && shown < wanted; ++shown) {
    ++byte;
    while (byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xC0) == 0x80) ++byte;
  }
  return byte;
}

// A unit stays in the line of its number.
bool is_unit(std::string_view word) {
  constexpr std::array<std::string_view, 11> units{"%", "B", "KiB", "MiB", "GiB", "TiB", "ns", "us", "ms", "s", "GB/s"};
  while (!word.empty() && std::string_view(",;:.)").find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  return std::find(units.begin(), units.end(), word) != units.end();
}

std::vector<std::string> unbroken_words(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' ')) {
    if (is_unit(word) && !words.empty())
      words.back().append(" ").append(word);
    else
      words.emplace_back(word);
  }
  return words;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string cut(const std::string& text, std::size_t columns) {
  const std::size_t length = columns_of(text);
  if (length <= columns || columns < 5) return text;
  const std::size_t kept = columns - 3, front = (kept + 1) / 2;
  return text.substr(0, byte_of(text, front)) + "..." + text.substr(byte_of(text, length - (kept - front)));
}

std::vector<std::string> wrap(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& whole : unbroken_words(text)) {
    const std::string word = cut(whole, columns);
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > columns) lines.push_back(std::exchange(line, {}));
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace marshal::report
