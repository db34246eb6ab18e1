#include "report/text_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/printable_text.h"
#include "report/text_lines.h"

namespace marshal::report {

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = printable(column.title);
}

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::vector<std::string>> TextTable::shown() const {
  std::vector<std::vector<std::string>> rows = rows_;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::map<std::string, std::set<std::string>> wholes_of;  // what is shown -> what it stands for
    for (auto& row : rows) {
      std::string shown = cut(row[c], columns_[c].widest);
      wholes_of[shown].insert(std::exchange(row[c], shown));
    }
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (wholes_of[rows[r][c]].size() > 1) rows[r][c] = rows_[r][c];
  }
  return rows;
}

std::string TextTable::text() const {
  const std::vector<std::vector<std::string>> rows = shown();
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_of(columns_[c].title);
    for (const auto& row : rows) width = std::max(width, columns_of(row[c]));
    widths.push_back(width);
  }
  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string blanks(widths[c] - columns_of(cell), ' ');
      text += "  " + (columns_[c].align == Align::right ? blanks + cell : cell + blanks);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows) line([&](std::size_t c) -> const std::string& { return row[c]; });
  return out;
}

}  // namespace marshal::report
