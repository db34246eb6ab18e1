// Datatypes without gaps, of which Marshal needs to know no more.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace marshal::calls {

// The bytes of an instance if the type is a predefined one without gaps; else 0. Asks the host nothing about the type,
// which may be no datatype at all. Thread safe, after note_plain_types().
std::int64_t plain_size(MPI_Datatype type);

// True if the type is a predefined one without gaps, or the program has committed it: the host can be asked about it,
// and no error handler hears of that. Thread safe.
bool is_certainly_a_type(MPI_Datatype type);

// In MPI_Init. Throws std::bad_alloc.
void note_plain_types();

}  // namespace marshal::calls
