// Tells the reader of a report what to do, or why there is nothing to do, in words that need no glossary.
#pragma once

#include <cstddef>
#include <vector>

#include "report/finding.h"
#include "report/record.h"

namespace marshal::report {

inline constexpr std::size_t fewest_findings = 3, most_findings = 6;

// First what can be done, then what was gained, then the rest; within each, the largest part of the run first.
// fewest_findings to most_findings of them. Pure; thread safe.
std::vector<Finding> findings(const Record& record);

}  // namespace marshal::report
