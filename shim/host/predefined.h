// The host's predefined handles. In MPICH they are numbers, in Open MPI addresses of objects in libmpi. These objects
// are looked up at run time, like the functions: with a reference to them the library would not load where there is no
// MPI.
#pragma once

#include <mpi.h>

#include <vector>

namespace marshal {

struct Predefined {
#define MARSHAL_PREDEFINED(type, name, constant, symbol) type name;
#include "host/predefined.table"
#undef MARSHAL_PREDEFINED
};

namespace detail {
inline constinit Predefined predefined_handles{};
}

// Complete after meet_host().
inline const Predefined& predefined() { return detail::predefined_handles; }
bool find_predefined();  // false, naming the first that is missing on stderr, when the host lacks one

// Those that the host has, after meet_host(), in no order; none twice. With a standard ABI only a few: its mpi.h here
// declares no more.
std::vector<MPI_Datatype> predefined_datatypes();

}  // namespace marshal
