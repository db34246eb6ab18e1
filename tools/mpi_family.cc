#include "tools/mpi_family.h"

namespace marshal::tools {

const char* family_name(MpiFamily family) { return family == MpiFamily::open_mpi ? "Open MPI" : "MPICH"; }
const char* family_tag(MpiFamily family) { return family == MpiFamily::open_mpi ? "openmpi" : "mpich"; }

}  // namespace marshal::tools
