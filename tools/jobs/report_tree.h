// Reads the reports and summaries of runs that stand below a directory, one at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "pages/summary.h"

namespace marshal::tools {

// A file's user is who owns it. Where it names another one, this stands behind the owner's name.
inline constexpr char other_user_mark = '*';

struct ReportVisitor {
  // `begins_run`: false for the second and later files of one run, whose processes ended without MPI_Finalize.
  std::function<void(const report::Summary& summary, bool begins_run)> report;
  std::function<void(const std::string& path, const std::string& why)> passed_over;
};

// Visits every regular file named *.json below those `places` that are directories, and the files that others are. In a
// directory summaries come first, then full reports except those that a summary beside them names, each in the order of
// their names; so do files of one directory among `places`. Symbolic links are passed over in silence, except `places`
// themselves. Long texts lose their end. False, with passed_over called, if a place cannot be read. Memory grows with
// the names in one directory and with the number of directories and places, not with the reports.
bool visit_reports(std::span<const std::string> places, const ReportVisitor& visitor);

}  // namespace marshal::tools
