#include "reordering/apart_communicator.h"

#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal {

ApartCommunicator::ApartCommunicator(MPI_Comm of) : handle_(predefined().comm_null) {
  MPI_Group members;
  if (pmpi().Comm_group(of, &members) != MPI_SUCCESS) return;
  is_there_ = pmpi().Comm_create(of, members, &handle_) == MPI_SUCCESS;
  pmpi().Group_free(&members);
  if (is_there_) pmpi().Comm_set_errhandler(handle_, predefined().errors_return);
}

ApartCommunicator::~ApartCommunicator() {
  if (is_there_) pmpi().Comm_free(&handle_);
}

void inherit_error_handler(MPI_Comm from, MPI_Comm to) {
  MPI_Errhandler handler;
  if (pmpi().Comm_get_errhandler(from, &handler) != MPI_SUCCESS) return;
  pmpi().Comm_set_errhandler(to, handler);
  pmpi().Errhandler_free(&handler);
}

}  // namespace marshal
