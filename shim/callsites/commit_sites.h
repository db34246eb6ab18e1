// Where the program commits datatypes: each call site under a small number, which a type's few words can hold.
#pragma once

#include <cstdint>

#include "report/call_site.h"

namespace marshal {

using CommitSite = std::uint16_t;  // 0: not known

// The site of a commit called at `caller`, a return address in the program. Walks the stack: for a process's first
// commits only, not for its millionth. Thread safe; 0 when call sites are off or there are too many.
CommitSite commit_site(const void* caller);

// Empty for 0.
report::CallSite call_site_of(CommitSite number);

}  // namespace marshal
