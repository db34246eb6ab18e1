// The tables of times in the text of a report.
#pragma once

#include <cstddef>
#include <string>

#include "report/record.h"

namespace marshal::report {

// Calls and places of the program, by the time that they took; 0: all rows.
std::string times_text(const Record& record, std::size_t rows_of_a_table);

}  // namespace marshal::report
