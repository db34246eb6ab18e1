// The PMPI_ functions that free handles. Tools that are linked into a program call them, and so does Open MPI's Fortran
// layer; the host frees its own objects by them, at any time, on any thread. Marshal forgets what it kept for the
// handle, which may soon mean something else, and goes on to the host. It counts no call.
#pragma once

#include <mpi.h>

namespace marshal {

extern "C" {
#define MARSHAL_HOOK __attribute__((visibility("default")))
// A standard ABI's mpi.h declares only what else is used of it.
MARSHAL_HOOK int PMPI_Comm_free(MPI_Comm* comm);
MARSHAL_HOOK int PMPI_Comm_disconnect(MPI_Comm* comm);
MARSHAL_HOOK int PMPI_Group_free(MPI_Group* group);
MARSHAL_HOOK int PMPI_Win_free(MPI_Win* win);
MARSHAL_HOOK int PMPI_File_close(MPI_File* file);
MARSHAL_HOOK int PMPI_Type_free(MPI_Datatype* type);
MARSHAL_HOOK int PMPI_Request_free(MPI_Request* request);
#undef MARSHAL_HOOK
}

}  // namespace marshal
