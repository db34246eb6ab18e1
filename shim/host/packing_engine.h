// Whether the engine packs at all.
#pragma once

namespace marshal {

// MARSHAL_PACK, and a small type packed by the host and by the engine at the first question. Constant from then on; not
// before MPI_Init, so never in a program of sessions only.
bool engine_is_on();

// Null where it is on. Only of a run that packed: the answer may need a try on the host.
const char* why_engine_is_off();

// Whether MPI_COMM_SELF may be packed on: not in a program of sessions only, where packing stays with the host.
bool has_world();

}  // namespace marshal
