// Tells the reader of a report what to do, or why there is nothing to do, in words that need no glossary.
//
// Bytes and seconds in the evidence were measured. A number computed from assumptions is called predicted, one scaled
// from a part is called estimated.
#pragma once

#include <string>
#include <vector>

#include "report/record.h"

namespace marshal::report {

struct Finding {
  enum class Verdict : unsigned char {
    act,      // something can be gained: `action` says how
    gained,   // something was gained: `action` says what is left
    nothing,  // nothing can be gained: `action` says why
  };
  Verdict verdict = Verdict::nothing;
  std::string subject;   // "traffic", "messages", "grids", "datatypes", "communicators", "Marshal", "report"
  std::string what;      // a sentence
  std::string evidence;  // sentences
  std::string action;    // a sentence with the exact setting or command, or one that begins with "Nothing to gain"

  bool operator==(const Finding&) const = default;
};
std::string verdict_name(Finding::Verdict verdict);  // "to do", "gained", "nothing to gain"

inline constexpr std::size_t fewest_findings = 3, most_findings = 6;

// First what can be done, then what was gained, then the rest; within each, the largest part of the run first.
// fewest_findings to most_findings of them. Pure; thread safe.
std::vector<Finding> findings(const Record& record);

}  // namespace marshal::report
