// A table of figures that a benchmark prints: aligned text for people, JSON for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/json.h"

namespace marshal::tools {

// One cell of the table; numbers keep their value for JSON, whatever the text rounds them to.
struct Cell {
  Cell(const char* words) : text(words), value(words) {}
  Cell(std::string_view words) : text(words), value(words) {}
  Cell(std::string words) : text(std::move(words)), value(text) {}
  Cell(double number, int decimals);
  Cell(std::int64_t number) : text(std::to_string(number)), value(number) {}

  std::string text;
  report::Json value;
};

// 9.0 MiB; the value stays in bytes.
Cell bytes_cell(double bytes);
// 768K.
std::string count_text(std::int64_t count);

struct FigureTable {
  std::string name;    // key in JSON
  std::string title;   // the column's head
  std::string source;  // the published figure it stands beside
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;

  std::string text() const;
  report::Json json() const;
};

}  // namespace marshal::tools
