// The sections of the HTML report that have a file each. Each begins with its heading.
#pragma once

#include <string>

#include "report/record.h"

namespace marshal::report {

std::string traffic_section(const Record& record);
std::string communicators_section(const Record& record);
// The models of rank maps, and what the two published ways to keep communicators would take. Empty without
// communicators.
std::string papers_section(const Record& record);
std::string grids_section(const Record& record);
std::string datatypes_section(const Record& record);

}  // namespace marshal::report
