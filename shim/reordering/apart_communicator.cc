#include "reordering/apart_communicator.h"

#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal {

namespace {

bool is_one_there(MPI_Comm of, MPI_Comm* made) {
  MPI_Group members;
  if (pmpi().Comm_group(of, &members) != MPI_SUCCESS) return false;
  const bool is_there = pmpi().Comm_create(of, members, made) == MPI_SUCCESS;
  pmpi().Group_free(&members);
  return is_there;
}

bool are_all_there(MPI_Comm of, bool mine) {
  int lacks = mine ? 0 : 1, any_lacks = 1;
  return pmpi().Allreduce(&lacks, &any_lacks, 1, predefined().type_int, predefined().op_max, of) == MPI_SUCCESS &&
         any_lacks == 0;
}

}  // namespace

ApartCommunicator::ApartCommunicator(MPI_Comm of) : handle_(predefined().comm_null) {
  const bool is_made = is_one_there(of, &handle_);
  is_there_ = are_all_there(of, is_made);  // AGREEMENT: whether there is that communicator
  if (is_there_)
    pmpi().Comm_set_errhandler(handle_, predefined().errors_return);
  else if (is_made)
    pmpi().Comm_free(&handle_);
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

int deliver_error(MPI_Comm communicator, int code) {
  if (pmpi().Comm_call_errhandler != nullptr) pmpi().Comm_call_errhandler(communicator, code);
  return code;
}

}  // namespace marshal
