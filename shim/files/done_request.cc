#include "files/done_request.h"

#include <cstdint>
#include <memory>
#include <new>

#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal::files {
namespace {

struct Done {
  MPI_Count bytes;
};

// Its source and tag are zero, as ROMIO's are.
extern "C" int tell_done(void* state, MPI_Status* status) {
  const Pmpi& p = pmpi();
  status->MPI_SOURCE = status->MPI_TAG = 0;
  const int code = p.Status_set_elements_x(status, predefined().type_byte, static_cast<const Done*>(state)->bytes);
  return code == MPI_SUCCESS ? p.Status_set_cancelled(status, 0) : code;
}
extern "C" int free_done(void* state) {
  delete static_cast<Done*>(state);
  return MPI_SUCCESS;
}
extern "C" int cancel_done(void*, int) { return MPI_SUCCESS; }

}  // namespace

int make_done_request(const MPI_Status& status, MPI_Request* request) {
  const Pmpi& p = pmpi();
  std::unique_ptr<Done> done(new (std::nothrow) Done{});
  if (done == nullptr) return MPI_ERR_NO_MEM;
  int code = p.Get_elements_x(&status, predefined().type_byte, &done->bytes);
  if (code == MPI_SUCCESS) code = p.Grequest_start(tell_done, free_done, cancel_done, done.get(), request);
  if (code != MPI_SUCCESS) return code;
  static_cast<void>(done.release());  // free_done() has it now
  return p.Grequest_complete(*request);
}

}  // namespace marshal::files
