// A table of text in columns as wide as their widest cell, for the report and for the tools.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace marshal::report {

class TextTable {
 public:
  enum class Align : unsigned char { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
    std::size_t widest = 60;  // longer cells lose their middle, unless that makes two different ones look alike
  };

  // Titles and cells may hold anything: control characters are shown as \x1b.
  explicit TextTable(std::vector<Column> columns);
  void add(std::vector<std::string> cells);
  std::size_t rows() const { return rows_.size(); }
  // Two blanks before each line and between columns; no blanks at the end of a line.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> shown() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace marshal::report
