// Tells whether the engine packs in this run.
#pragma once

namespace marshal {

// Decided at the first call, by MARSHAL_PACK and by packing a small type on host and engine. Constant from then on. Not
// before MPI_Init, so never in a program of sessions only.
bool engine_is_on();

// True if engine and host agree on a small type, which is tried once. Only while MPI_COMM_SELF may be packed on.
bool packs_as_the_host();

// Why it is off; null if it is on. Only after the run packed something: the answer may need a try on the host.
const char* why_engine_is_off();

// True if MPI_COMM_SELF may be packed on. In a program of sessions only it may not, and packing stays with the host.
bool has_world();

}  // namespace marshal
