// Types that the mpi.h of this build may lack, because a later MPI standard brought them. What the host at run time has
// is another question, which pmpi.h answers.
#pragma once

#include <mpi.h>

#if MPI_VERSION < 4
#ifdef OPEN_MPI
using MPI_Session = struct ompi_instance_t*;
#else
using MPI_Session = int;
#endif
#endif
