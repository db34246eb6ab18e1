#include "host/host_limit.h"

#include <mpi.h>

#include "host/host_family.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal {

CommunicatorLimit learn_communicator_limit([[maybe_unused]] bool has_world) {
  HostVersion said;
  read_host_version(said);
#ifdef MARSHAL_HOST_OPENMPI
  int* tag_ub = nullptr;
  int is_set = 0;
  const bool is_known =
      has_world && pmpi().Comm_get_attr(predefined().comm_world, MPI_TAG_UB, &tag_ub, &is_set) == MPI_SUCCESS;
  return is_known && is_set != 0 ? limit_of_openmpi(said.text, find_host_object("mca_pml"), *tag_ub)
                                 : CommunicatorLimit{};
#else
  return limit_of_version(said.text);
#endif
}

}  // namespace marshal
