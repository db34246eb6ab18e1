// A report's statement on one subject: what can be gained, what was gained, or why nothing can be gained.
//
// Bytes and seconds in the evidence were measured. A number computed from assumptions is called predicted, one scaled
// from a part is called estimated.
#pragma once

#include <string>

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

inline std::string verdict_name(Finding::Verdict verdict) {
  switch (verdict) {
    case Finding::Verdict::act:
      return "to do";
    case Finding::Verdict::gained:
      return "gained";
    case Finding::Verdict::nothing:
      break;
  }
  return "nothing to gain";
}

}  // namespace marshal::report
