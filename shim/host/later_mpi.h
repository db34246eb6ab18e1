// Types of later MPI standards that the mpi.h of this build may lack. pmpi.h finds out what the host at run time has.
#pragma once

#include <mpi.h>

#if MPI_VERSION < 4
#ifdef OPEN_MPI
using MPI_Session = struct ompi_instance_t*;
#else
using MPI_Session = int;
#endif
#endif
