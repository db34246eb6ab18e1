// Where the program commits datatypes: a small number for each call site, which fits into a type's entry.
#pragma once

#include <cstdint>

#include "record/call_site.h"

namespace marshal {

using CommitSite = std::uint16_t;  // 0: not known

// The site of a commit called at `caller`, a return address in the program. A place's first commit walks the stack,
// which takes ten microseconds and more. Later ones have their innermost frame alone: those above it may be others.
// Thread safe; 0 if call sites are off or there are too many.
CommitSite commit_site(const void* caller, bool is_first);

// Empty for 0. The first question about a site takes tens of microseconds, to find its library; the others nothing.
const report::CallSite& call_site_of(CommitSite number);

}  // namespace marshal
