// Windows and files: each has communicators of its own inside the host, which the report counts where the window or
// file was made.
#pragma once

#include <mpi.h>

#include "host/creation.h"

namespace marshal::books {

void enter_window(MPI_Win handle, CreationSite* site);
CreationSite* take_window(MPI_Win handle);  // the site that made it, or null; off the books
void forget_window(MPI_Win handle);

void enter_file(MPI_File handle, CreationSite* site);
CreationSite* take_file(MPI_File handle);
void forget_file(MPI_File handle);

}  // namespace marshal::books
