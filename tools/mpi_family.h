// The MPIs that Marshal was configured for, by family.
#pragma once

namespace marshal::tools {

enum class MpiFamily : unsigned char { open_mpi, mpich };

const char* family_name(MpiFamily family);  // "Open MPI", "MPICH"
// In the names of files and in --mpi: "openmpi", "mpich".
const char* family_tag(MpiFamily family);

}  // namespace marshal::tools
