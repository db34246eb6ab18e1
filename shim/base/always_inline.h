// Code that each of the 900 entry points of MPI holds itself, as a call would cost a tenth of a short MPI call.
#pragma once

// Only where the compiler optimises: without, each copy is as long as what it calls, and the entry points take ten times as long to compile.
// Not for functions that ask for their caller's address: those must be inlined everywhere.
#ifdef __OPTIMIZE__
#define MARSHAL_ALWAYS_INLINE [[gnu::always_inline]]
#else
#define MARSHAL_ALWAYS_INLINE
#endif
