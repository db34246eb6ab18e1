// The parts that the sections of the HTML report share: tables and their cells, figures, places in the program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/record.h"

namespace marshal::report {

// It sorts when a column's head is pressed.
class HtmlTable {
 public:
  struct Column {
    std::string title;
    bool text = false;          // left, sorted by letters
    std::string explanation{};  // shown when the pointer rests on the head
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

using Cell = HtmlTable::Cell;

inline constexpr std::size_t most_chart_rows = 12;

std::string figure(const std::string& picture, const std::string& caption);

// The symbol, or the place, or "not recorded".
std::string where(const std::string& symbol, const CallSite& site);

Cell count(std::uint64_t value);
Cell seconds(std::uint64_t ns);
Cell bytes(double value);
Cell bytes(std::uint64_t value);
// Bytes of a process, and the same at Job::project_ranks.
Cell memory(const Memory& memory);
Cell projected(const Memory& memory, const Job& job);

// "a" or "a (3), b (1)".
std::string joined(const std::map<std::string, std::uint64_t>& counts);

}  // namespace marshal::report
