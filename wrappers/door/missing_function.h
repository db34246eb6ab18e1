// Ends a program that calls a function that its MPI lacks.
#pragma once

namespace marshal {

// Ends the process with one line, as the dynamic linker would.
[[noreturn]] void end_without_function(const char* symbol);

}  // namespace marshal
