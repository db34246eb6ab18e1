// The sections of the HTML report, a file each. A section begins with its heading.
#pragma once

#include <string>
#include <string_view>

#include "report/record.h"

namespace marshal::report {

std::string times_section(const Record& record);
std::string traffic_section(const Record& record);
std::string communicators_section(const Record& record);
// The models of rank maps, and what the two published ways to keep communicators would take. Empty without
// communicators.
std::string papers_section(const Record& record);
// The objects that each place makes, and those it does not free. Empty if the program made nothing.
std::string objects_section(const Record& record);
std::string grids_section(const Record& record);
std::string datatypes_section(const Record& record);
// The same for all records.
std::string glossary_section();
std::string_view html_style();
std::string_view html_script();

}  // namespace marshal::report
