// Ends a program that calls a function of host_hooks.table that none of its libraries has.
#pragma once

namespace marshal {

// Ends the process with one line, as the dynamic linker would.
[[noreturn]] void end_without_function(const char* symbol);

}  // namespace marshal
