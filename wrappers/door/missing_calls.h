// Functions for the calls that the host lacks. Marshal has an entry point for each call of its table. So a program that
// looks for MPI_Send_c, by a weak reference or by dlsym, finds it on every host and makes the call: Python's wheels of
// mpi4py and Julia's MPI.jl do.
//
// A call with large numbers makes the older call, if its numbers fit (narrowed_call.h). If not, it fails with
// MPI_ERR_COUNT. All other calls fail with MPI_ERR_UNSUPPORTED_OPERATION (missing_call.h).
#pragma once

namespace marshal {

// The function in the place of `symbol`, which is missing where `caller` would find it. Null where the table has no
// such name. Thread safe.
void* find_missing_call(const char* symbol, const void* caller);

// Ends a program that calls a function of host_hooks.table that none of its libraries has.

// Ends the process with one line, as the dynamic linker would.
[[noreturn]] void end_without_function(const char* symbol);

}  // namespace marshal
