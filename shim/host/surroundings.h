// What else is in this process: other copies of Marshal, and MPI libraries of which Marshal sees nothing. Needs neither
// mpi.h nor the C++ runtime. Only for a library that was preloaded itself, not for one that libmarshal.so opened.
#pragma once

#include <cstddef>

namespace marshal {

// The file of another Marshal that stands behind this one, or null. Two would each do the other's work again, so
// neither does any; the first one says so.
const char* marshal_behind();
bool is_marshal_in_front();

// Whether MPI was initialised in this process without Marshal's seeing it; `why` then says how that came to be.
bool mpi_began_unseen(char* why, std::size_t room);

}  // namespace marshal
