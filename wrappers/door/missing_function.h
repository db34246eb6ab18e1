// What happens to a program that calls what its own MPI does not have.
#pragma once

namespace marshal {

// Ends the process with one line, as the dynamic linker would.
[[noreturn]] void end_without_function(const char* symbol);

}  // namespace marshal
