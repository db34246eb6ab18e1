// Code that entry points hold themselves: a call would cost a tenth of a short MPI call.
#pragma once

// Only where the compiler optimises. Elsewhere it would copy all of the code into each entry point, and compile 30
// times as long. Functions that ask for their caller's address must always be inlined: they keep
// [[gnu::always_inline]].
#ifdef __OPTIMIZE__
#define MARSHAL_ALWAYS_INLINE [[gnu::always_inline]]
#else
#define MARSHAL_ALWAYS_INLINE
#endif
