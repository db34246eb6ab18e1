// Looks for other copies of Marshal in this process, and for MPI libraries that Marshal does not stand in front of.
// Needs neither mpi.h nor the C++ runtime. Only for a library that was preloaded, not for one that libmarshal.so
// opened.
#pragma once

#include <cstddef>

namespace marshal {

// The file of another Marshal behind this one, or null. Two would do each other's work twice, so neither does any; the
// first one says so.
const char* marshal_behind();
bool is_marshal_in_front();

// False where no library of this process can be an MPI. Asks the host nothing.
bool has_mpi_library();

// True if MPI was initialised in this process unseen by Marshal; `why` then gets the cause.
bool mpi_began_unseen(char* why, std::size_t room);

}  // namespace marshal
