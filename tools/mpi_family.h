// The MPIs that Marshal was configured for, by family.
#pragma once

namespace marshal::tools {

enum class MpiFamily : unsigned char { open_mpi, mpich };

inline const char* family_name(MpiFamily family) { return family == MpiFamily::open_mpi ? "Open MPI" : "MPICH"; }
// In the names of files and in --mpi.
inline const char* family_tag(MpiFamily family) { return family == MpiFamily::open_mpi ? "openmpi" : "mpich"; }

}  // namespace marshal::tools
