// A report's statement on one subject: what can be gained, what was gained, or why nothing can be gained.
//
// Bytes and seconds in the evidence were measured. A number computed from assumptions is called predicted, one scaled
// from a part is called estimated.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace marshal::report {

struct Finding {
  enum class Verdict : unsigned char {
    act,      // something can be gained: `action` says how
    gained,   // something was gained: `action` says what is left
    nothing,  // nothing can be gained: `action` says why
  };
  Verdict verdict = Verdict::nothing;
  // "time", "traffic", "messages", "files", "grids", "datatypes", "communicators", "objects", "Marshal", "report"
  std::string subject;
  std::string what;      // a sentence
  std::string evidence;  // sentences
  std::string action;    // a sentence with the exact setting or command, or one that begins with "Nothing to gain"
  // The most that can be gained: what the calls that this is about took, in the mean of the processes. Below 0: not
  // measured.
  double most_seconds = -1;

  bool operator==(const Finding&) const = default;
};

inline std::string verdict_name(Finding::Verdict verdict) {
  constexpr std::array<const char*, 3> names{"to do", "gained", "nothing to gain"};
  return names[static_cast<std::size_t>(verdict)];
}

}  // namespace marshal::report
