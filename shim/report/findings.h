// Tells the reader of a report what to do, or why there is nothing to do, in words that need no glossary.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "report/record.h"

namespace marshal::report {

// A statement on one subject: what can be gained, what was gained, or why nothing can be gained.
//
// Bytes and seconds in the evidence were measured. A number computed from assumptions is called predicted, one scaled
// from a part is called estimated.
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

inline std::string verdict_name(Finding::Verdict verdict) {
  constexpr std::array<const char*, 3> names{"to do", "gained", "nothing to gain"};
  return names[static_cast<std::size_t>(verdict)];
}

inline constexpr std::size_t fewest_findings = 3, most_findings = 6;

// First what can be done, then what was gained, then the rest; within each, the largest part of the run first.
// fewest_findings to most_findings of them. Pure; thread safe.
std::vector<Finding> findings(const Record& record);

}  // namespace marshal::report
