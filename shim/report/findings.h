// What the reader of a report should do, or why there is nothing to do: for somebody who knows none of the words below.
//
// Bytes and seconds in the evidence were measured; what was computed from assumptions is called predicted, and what was
// scaled from a part is called estimated.
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

inline constexpr std::size_t kFewestFindings = 3, kMostFindings = 6;

// What can be done comes first, then what was gained, then the rest; in each the largest part of the run first.
// kFewestFindings to kMostFindings of them. Pure; thread safe.
std::vector<Finding> findings(const Record& record);

}  // namespace marshal::report
