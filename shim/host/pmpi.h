// The host's own functions, by their PMPI names, found at run time: the library has no undefined MPI symbol, so that it
// loads in any process.
#pragma once

#include <mpi.h>

namespace marshal {

struct Pmpi {
#define MARSHAL_PMPI(name) decltype(&::PMPI_##name) name = nullptr;
#include "host/pmpi.table"
#undef MARSHAL_PMPI
};

const Pmpi& pmpi();  // complete after meet_host(), constant from then on
bool find_pmpi();    // looks all of them up; false, naming the first that is missing on stderr, when the host lacks one

}  // namespace marshal
