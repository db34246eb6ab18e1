// Reads the reports and summaries of runs that stand below a directory, one at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "report/summary.h"

namespace marshal::tools {

// A larger file is passed over. The largest reports that Marshal writes have some MiB.
inline constexpr std::size_t most_report_bytes = std::size_t{64} << 20;

struct ReportVisitor {
  // `begins_run`: false for the second and later files of one run, whose processes ended without MPI_Finalize.
  std::function<void(const report::Summary& summary, bool begins_run)> report;
  std::function<void(const std::string& path, const std::string& why)> passed_over;
};

// Visits every regular file named *.json below those `places` that are directories, and the files that others are. In a
// directory summaries come first, then full reports except those that a summary beside them names, each in the order of
// their names; so do files of one directory among `places`. Symbolic links are passed over in silence, except `places`
// themselves. False, with passed_over called, if a place cannot be read. Memory grows with the names in one directory
// and with the number of directories and places, not with the reports.
bool visit_reports(std::span<const std::string> places, const ReportVisitor& visitor);

}  // namespace marshal::tools
