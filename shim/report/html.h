// A record as one HTML file that needs nothing else: style, script and pictures are inside, nothing is loaded.
#pragma once

#include <string>

#include "report/record.h"

namespace marshal::report {

// UTF-8. Pictures of grids are drawn until they would make the file large; the rest is said to be left out.
std::string to_html(const Record& record);

}  // namespace marshal::report
