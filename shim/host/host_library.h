// Whose code an address is: the MPI library's, or that of others which use the same libraries below it. No MPI.
#pragma once

namespace marshal {

// True if the address lies in the library that has MPI_Init. Looks at all libraries of the process.
bool is_in_host_library(const void* address);

}  // namespace marshal
