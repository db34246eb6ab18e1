// A record as it is shown: as text, on one screen, and as one HTML file.
#pragma once

#include <cstddef>
#include <string>

#include "findings/findings.h"
#include "record/record.h"

namespace marshal::report {

struct TextStyle {
  std::size_t width = 100;          // columns
  std::size_t rows_of_a_table = 5;  // the rest is counted in one line; 0: all of them, and details of each
};

// As text; ends with a newline. `json_path`: where the whole report is, empty: nowhere.
std::string to_text(const Record& record, const std::string& json_path = {}, TextStyle style = {});

// On one screen: at most so many lines of at most so many columns.
inline constexpr std::size_t screen_lines = 24, screen_columns = 100;

// Ends with a newline. `json_path`: where the whole report is, empty: nowhere. One line names what the program
// does not use. Findings are in seconds, the largest first. Pure; thread safe.
std::string to_screen(const Record& record, const std::string& json_path = {});
// The same for who has its findings already.
std::string to_screen(const Record& record, const WhatToDo& what, const std::string& json_path);

// One HTML file with style, script and pictures inside, in UTF-8: it loads nothing. Pictures of grids are drawn until
// they would make the file large; a line says which are left out.
std::string to_html(const Record& record);

}  // namespace marshal::report
