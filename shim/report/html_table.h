// A table of the HTML report that sorts when a column's head is pressed.
#pragma once

#include <string>
#include <vector>

namespace marshal::report {

class HtmlTable {
 public:
  struct Column {
    std::string title;
    bool text = false;        // left, sorted by letters
    std::string explanation;  // shown when the pointer rests on the head
  };
  struct Cell {
    std::string html;   // already escaped
    double value = 0;   // what a column of numbers sorts by
    bool known = true;  // unknown numbers sort behind all others
  };

  explicit HtmlTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  static Cell text(const std::string& plain);
  static Cell number(double value, const std::string& plain);
  static Cell unknown(const std::string& plain, const std::string& why);
  void add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::string html() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace marshal::report
