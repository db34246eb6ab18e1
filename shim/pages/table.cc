#include "pages/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/printable_text.h"
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

namespace {

using Texts = std::vector<std::string>;

// The cells of a column as they are shown: too long ones lose their middle, but for those that would look alike.
Texts shortened(const Texts& whole, std::size_t widest) {
  std::map<std::string, std::set<std::string>> wholes_of;  // what is shown -> what it stands for
  Texts shown;
  for (const std::string& cell : whole) wholes_of[shown.emplace_back(cut(cell, widest))].insert(cell);
  for (std::size_t r = 0; r < whole.size(); ++r)
    if (wholes_of[shown[r]].size() > 1) shown[r] = whole[r];
  return shown;
}

// Long names may be broken in the line.
std::string breakable(const std::string& plain) {
  std::string html;
  for (const char c : escaped(plain)) {
    html += c;
    if (html.ends_with("::") || c == '/') html += "<wbr/>";
  }
  return html;
}

std::string cell_html(const Cell& cell, Align align, double whole_bar) {
  const std::string& plain = cell.page.empty() ? cell.text : cell.page;
  if (align == Align::left) return fmt::format("<td class=\"l\">{}{}</td>", breakable(plain), cell.below);
  if (!cell.value)
    return fmt::format("<td><span class=\"soft\"{}>{}</span></td>",
                       cell.why.empty() ? "" : fmt::format(" title=\"{}\"", escaped(cell.why)), escaped(plain));
  const double percent = whole_bar > 0 ? std::clamp(100 * *cell.value / whole_bar, 0.0, 100.0) : 0;
  return fmt::format("<td data-v=\"{:.17g}\">{}{}</td>", *cell.value, escaped(plain),
                     percent < 0.5 ? "" : fmt::format("<i style=\"width:{:.0f}%\"></i>", percent));
}

}  // namespace

void Table::add(std::vector<Cell> cells) {
  cells.resize(columns_.size(), Cell(""));
  rows_.push_back(std::move(cells));
}

std::string Table::text(std::size_t most_rows) const {
  const std::size_t count = most_rows == 0 ? rows_.size() : std::min(most_rows, rows_.size());
  Texts lines(1 + count);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].shown == Shown::on_page) continue;
    Texts cells;
    for (std::size_t r = 0; r < count; ++r) cells.push_back(printable(rows_[r][c].text));
    cells = shortened(cells, columns_[c].widest);
    cells.insert(cells.begin(), printable(columns_[c].title));
    std::size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, columns_of(cell));
    for (std::size_t r = 0; r < lines.size(); ++r) {
      const std::string blanks(width - columns_of(cells[r]), ' ');
      lines[r] += "  " + (columns_[c].align == Align::right ? blanks + cells[r] : cells[r] + blanks);
    }
  }
  std::string out;
  for (const std::string& line : lines) out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return out;
}

std::string Table::html() const {
  std::string out = "<div class=\"wide\"><table class=\"sortable\"><thead><tr>";
  std::map<int, double> whole_bars;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    if (column.shown == Shown::in_text) continue;
    out += fmt::format("<th{}{}><button type=\"button\">{}</button></th>",
                       column.align == Align::left ? " class=\"l\"" : "",
                       column.explanation.empty() ? "" : fmt::format(" title=\"{}\"", escaped(column.explanation)),
                       escaped(column.title));
    if (column.bars == 0) continue;
    double& whole = whole_bars[column.bars];
    for (const auto& row : rows_) whole = std::max(whole, row[c].value.value_or(0));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows_) {
    out += "<tr>";
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].shown != Shown::in_text)
        out += cell_html(row[c], columns_[c].align, columns_[c].bars == 0 ? 0 : whole_bars[columns_[c].bars]);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace marshal::report
