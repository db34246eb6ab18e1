#include "report/text_table.h"

#include <algorithm>
#include <utility>

namespace marshal::report {
namespace {

std::string cut(std::string text, std::size_t widest) {
  if (columns_of(text) <= widest) return text;
  std::size_t bytes = 0, shown = 0;
  while (bytes < text.size() && shown + 3 < widest) {
    ++bytes;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) ++bytes;
    ++shown;
  }
  return text.substr(0, bytes) + "...";
}

}  // namespace

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::size_t c = 0; c < cells.size(); ++c) cells[c] = cut(std::move(cells[c]), columns_[c].widest);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_of(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, columns_of(row[c]));
    widths.push_back(width);
  }
  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string blanks(widths[c] - columns_of(cell), ' ');
      text += "  " + (columns_[c].align == Align::kRight ? blanks + cell : cell + blanks);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_) line([&](std::size_t c) -> const std::string& { return row[c]; });
  return out;
}

}  // namespace marshal::report
