#include "calls/cut_ends.h"

#include "host/implementation.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal::calls {

bool may_end_inside_element(const PackedBuffer& packed, std::int64_t bytes) {
  return !is_open_mpi() && packed.element() == predefined().type_byte && bytes < packed.bytes() &&
         bytes % packed.instance() != 0;
}

int deliver_by_host(const PackedBuffer& packed, std::int64_t bytes, const ProgramBuffer& buffer,
                    MPI_Comm communicator) {
  static const auto call_errhandler =
      reinterpret_cast<int (*)(MPI_Comm, int)>(find_host_symbol("PMPI_Comm_call_errhandler"));
  const Pmpi& p = pmpi();
  MPI_Comm self;
  if (p.Comm_dup(predefined().comm_self, &self) != MPI_SUCCESS) return MPI_ERR_TRUNCATE;
  p.Comm_set_errhandler(self, predefined().errors_return);
  const int code = p.Sendrecv(packed.data(), static_cast<int>(bytes), predefined().type_byte, 0, 0, buffer.user,
                              static_cast<int>(buffer.count), buffer.type, 0, 0, self, MPI_STATUS_IGNORE);
  p.Comm_free(&self);
  if (code == MPI_SUCCESS) return code;
  if (call_errhandler != nullptr) call_errhandler(communicator, MPI_ERR_TRUNCATE);
  return MPI_ERR_TRUNCATE;
}

}  // namespace marshal::calls
