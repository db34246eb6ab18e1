// The table of what a program makes and frees, in the text of a report.
#pragma once

#include <cstddef>
#include <string>

#include "report/record.h"

namespace marshal::report {

// At most so many rows; 0: all. Empty if the program made nothing.
std::string objects_text(const Record& record, std::size_t rows_of_a_table);

}  // namespace marshal::report
