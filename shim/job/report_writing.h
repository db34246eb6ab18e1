// The files of a run's report, and its text on standard error.
#pragma once

#include <string>

#include "record/record.h"

namespace marshal {

// Writes the reports that MARSHAL_REPORT asks for: files that begin with STEM, and text on standard error. The files of
// a run stand side by side and fail alike: one line tells of all, `problem` being that of the traffic file.
void write_reports(report::Record record, const std::string& stem, std::string problem);

// Writes what this process alone knows to a file of its own.
void write_partial_report(report::Record record);

}  // namespace marshal
