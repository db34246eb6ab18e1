// A table of many runs as text for a screen, as CSV and as JSON; see marshal-jobs(1).
#pragma once

#include <cstdint>
#include <string>

#include "tools/jobs/job_table.h"

namespace marshal::tools {

inline constexpr int version_of_jobs_schema = 1;

struct TreeCounts {
  std::uint64_t reports = 0;      // files that were counted
  std::uint64_t passed_over = 0;  // files and directories that could not be
};

// Lines of at most 100 columns. The first rows only, unless `every_row`.
std::string jobs_as_text(const JobTable& table, const TreeCounts& counts, bool every_row);
// A line of titles, then one for each row, as in RFC 4180 but with newline alone. Empty where nothing was measured.
std::string jobs_as_csv(const JobTable& table);
// Ends with a newline. Null where nothing was measured.
std::string jobs_as_json(const JobTable& table, const TreeCounts& counts);

}  // namespace marshal::tools
