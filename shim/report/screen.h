// A record on one screen: at most screen_lines lines of at most screen_columns columns.
#pragma once

#include <cstddef>
#include <string>

#include "report/findings.h"
#include "report/record.h"

namespace marshal::report {

inline constexpr std::size_t screen_lines = 24, screen_columns = 100;

// Ends with a newline. `json_path`: where the whole report is, empty: nowhere. One line names what the program
// does not use. Findings are in seconds, the largest first. Pure; thread safe.
std::string to_screen(const Record& record, const std::string& json_path = {});
// The same for who has its findings already.
std::string to_screen(const Record& record, const WhatToDo& what, const std::string& json_path);

}  // namespace marshal::report
