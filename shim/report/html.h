// A record as one HTML file with style, script and pictures inside: it loads nothing.
#pragma once

#include <string>

#include "report/record.h"

namespace marshal::report {

// UTF-8. Pictures of grids are drawn until they would make the file large; a line says which are left out.
std::string to_html(const Record& record);

}  // namespace marshal::report
