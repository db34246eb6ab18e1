// The file name of a report, from the pattern that the user set. base/new_file.h writes the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "record/record.h"

namespace marshal::report {

// MARSHAL_REPORT_FILE with %p %j %h %n %u %t %Y %m %d filled in from the job (%% is a percent sign; another letter
// stays as it is). A slash inside a filled-in part becomes _, as do control characters, bytes that are no UTF-8, and
// the dots of a part that would name a directory; a .json, .summary.json or .html at the end of the pattern is taken
// off.
std::string expand_pattern(std::string_view pattern, const Job& job);

// "STEM-partial-rank7".
std::string partial_stem(std::string_view stem, std::uint64_t rank);

}  // namespace marshal::report
