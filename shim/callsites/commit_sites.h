// Where the program commits datatypes: a small number for each call site, which fits into a type's entry.
#pragma once

#include <cstdint>

#include "report/call_site.h"

namespace marshal {

using CommitSite = std::uint16_t;  // 0: not known

// The site of a commit called at `caller`, a return address in the program. Walks the stack, so only a process's first
// commits may ask. Thread safe; 0 if call sites are off or there are too many.
CommitSite commit_site(const void* caller);

// Empty for 0. The first question about a site takes tens of microseconds, to find its library; the others nothing.
const report::CallSite& call_site_of(CommitSite number);

}  // namespace marshal
