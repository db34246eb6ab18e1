// A record as text of one screen.
#pragma once

#include <cstddef>
#include <string>

#include "report/record.h"

namespace marshal::report {

struct TextStyle {
  std::size_t width = 100;          // columns
  std::size_t rows_of_a_table = 5;  // the rest is counted in one line; 0: all of them, and details of each
};

// Ends with a newline. `json_path`: where the whole report is, empty: nowhere.
std::string to_text(const Record& record, const std::string& json_path = {}, TextStyle style = {});

}  // namespace marshal::report
