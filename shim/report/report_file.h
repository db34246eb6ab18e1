// Where a report goes. A file appears whole or not at all, and never takes the place of another one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/job.h"

namespace marshal::report {

// MARSHAL_REPORT_FILE with %p %j %h %n %t filled in from the job (%% is a percent sign; another letter stays as it is).
// A slash inside a filled-in part becomes _; a .json or .html at the end of the pattern is taken off.
std::string expand_pattern(std::string_view pattern, const Job& job);

// "STEM-partial-rank7".
std::string partial_stem(std::string_view stem, std::uint64_t rank);

struct WrittenFile {
  std::string path;   // empty: nothing could be written
  std::string error;  // one line, also when a fallback place took it
};

// Writes `contents` to STEM + ending ("." included), or STEM-2, STEM-3 … when that exists. Where the place cannot be
// written or is full, the file goes to TMPDIR or /tmp and `error` says so. Missing directories of the stem are made.
WrittenFile write_new_file(const std::string& stem, std::string_view ending, std::string_view contents);

}  // namespace marshal::report
