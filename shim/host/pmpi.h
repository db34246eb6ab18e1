// The host's own functions, by their PMPI names, found at run time: the library has no undefined MPI symbol, so that it
// loads in any process.
#pragma once

#include <mpi.h>

// Of later standards than the mpi.h of this build may be.
#if MPI_VERSION < 4
#ifdef OPEN_MPI
using MPI_Session = struct ompi_instance_t*;
#else
using MPI_Session = int;
#endif
#endif

namespace marshal {

// Later standards deprecate some; older hosts have nothing else.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
struct Pmpi {
#define MARSHAL_PMPI(name) decltype(&::PMPI_##name) name = nullptr;
#define MARSHAL_PMPI_IF_THERE(result, name, ...) result (*name)(__VA_ARGS__) = nullptr;
#include "host/pmpi.table"
#undef MARSHAL_PMPI
#undef MARSHAL_PMPI_IF_THERE
};
#pragma GCC diagnostic pop

const Pmpi& pmpi();  // complete after meet_host(), constant from then on
bool find_pmpi();    // looks all of them up; false when the host lacks one that it must have, with one line for the job

}  // namespace marshal
