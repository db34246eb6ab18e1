// A table, described once and printed twice: as text in columns as wide as their widest cell, for reports and tools,
// and as HTML that sorts when a column's head is pressed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marshal::report {

// Lines of text of a limited width. Widths are columns of a screen: code points of UTF-8.
std::size_t columns_of(std::string_view text);

// A text that is too long loses its middle: both ends tell things apart.
std::string cut(const std::string& text, std::size_t columns);

// Words of the text, in lines of at most so many columns. A word that is longer loses its middle.
std::vector<std::string> wrap(const std::string& text, std::size_t columns);

// Texts may hold anything: each printer makes them harmless.
struct Cell {
  std::string text;
  std::optional<double> value{};  // what a column of numbers sorts by; those without sort behind all others
  std::string why{};              // there is no value; shown on the page when the pointer rests on the cell
  std::string page{};             // in place of the text on the page; empty: the text
  std::string below{};            // under the text on the page: ready HTML

  Cell(std::string what, std::string why_not = {}) : text(std::move(what)), why(std::move(why_not)) {}
  Cell(const char* what) : text(what) {}
  Cell(double number, std::string what) : text(std::move(what)), value(number) {}
};

enum class Align : unsigned char { left, right };  // of a column; on the page, those to the left sort by letters

class Table {
 public:
  enum class Shown : unsigned char { everywhere, in_text, on_page };
  struct Column {
    std::string title;
    Align align = Align::right;
    std::size_t widest = 60;    // longer cells of text lose their middle, unless two different ones would look alike
    std::string explanation{};  // shown on the page when the pointer rests on the head
    int bars = 0;               // on the page: columns of one number share a scale of bars, from 0 on; 0: no bars
    Shown shown = Shown::everywhere;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> cells);
  std::size_t rows() const { return rows_.size(); }
  // At most so many rows; 0: all. Two blanks before each line and between columns; no blanks at the end of a line.
  std::string text(std::size_t most_rows = 0) const;
  std::string html() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

inline Table::Column number_column(std::string title, std::string explanation = {}, int bars = 0,
                                   Table::Shown shown = Table::Shown::everywhere) {
  return {std::move(title), Align::right, 60, std::move(explanation), bars, shown};
}

}  // namespace marshal::report
