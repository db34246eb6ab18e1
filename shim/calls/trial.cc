#include <mpi.h>

#include "base/attempt.h"
#include "calls/begin.h"
#include "calls/carrier_types.h"
#include "copies/extended_trial.h"
#include "copies/gapped_buffer.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "messages/known_message.h"

namespace marshal::calls {
namespace {

using messages::KnownMessage;

constexpr int elements = KnownMessage::bytes / sizeof(int);
constexpr int tag = 3;

bool came_whole(int code, const MPI_Status& status) {
  return code == MPI_SUCCESS && status.MPI_SOURCE == 0 && status.MPI_TAG == tag &&
         bytes_in(status) == static_cast<std::int64_t>(KnownMessage::bytes);
}

// One message in each direction by MPI_Sendrecv.
bool exchanges(MPI_Comm self, KnownMessage& message, MPI_Datatype type) {
  const Pmpi& p = pmpi();
  const MPI_Datatype element = predefined().type_int;
  MPI_Status status{};
  KnownMessage::User received{};
  KnownMessage::Packed packed{};
  const int to_type = p.Sendrecv(message.packed.data(), elements, element, 0, tag, received.data(), KnownMessage::count,
                                 type, 0, tag, self, &status);
  if (!came_whole(to_type, status) || received != message.unpacked) return false;
  status = {};
  const int from_type = p.Sendrecv(message.user.data(), KnownMessage::count, type, 0, tag, packed.data(), elements,
                                   element, 0, tag, self, &status);
  return came_whole(from_type, status) && packed == message.packed;
}

// Calls that block, with a nonblocking one on the other side.
bool sends_and_receives(MPI_Comm self, KnownMessage& message, MPI_Datatype type) {
  const Pmpi& p = pmpi();
  const MPI_Datatype element = predefined().type_int;
  MPI_Status status{};
  MPI_Request request = predefined().request_null;
  KnownMessage::User received{};
  KnownMessage::Packed packed{};
  if (p.Irecv(received.data(), KnownMessage::count, type, 0, tag, self, &request) != MPI_SUCCESS) return false;
  const int sent = p.Send(message.packed.data(), elements, element, 0, tag, self);
  if (sent != MPI_SUCCESS || !came_whole(p.Wait(&request, &status), status) || received != message.unpacked)
    return false;
  status = {};
  if (p.Isend(message.user.data(), KnownMessage::count, type, 0, tag, self, &request) != MPI_SUCCESS) return false;
  const bool came = came_whole(p.Recv(packed.data(), elements, element, 0, tag, self, &status), status);
  return p.Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && came && packed == message.packed;
}

bool exchanges_with_all(MPI_Comm self, KnownMessage& message, MPI_Datatype type) {
  const MPI_Datatype element = predefined().type_int;
  const int one_count = KnownMessage::count, all_elements = elements, nowhere = 0;
  KnownMessage::User received{};
  KnownMessage::Packed packed{};
  if (pmpi().Alltoallw(message.packed.data(), &all_elements, &nowhere, &element, received.data(), &one_count, &nowhere,
                       &type, self) != MPI_SUCCESS)
    return false;
  return received == message.unpacked &&
         pmpi().Alltoallw(message.user.data(), &one_count, &nowhere, &type, packed.data(), &all_elements, &nowhere,
                          &element, self) == MPI_SUCCESS &&
         packed == message.packed;
}

const char* try_on(MPI_Comm self, MPI_Datatype type) {
  const char* why = "datatypes of the MPI library cannot be read";
  attempt([&] {
    KnownMessage message(type);
    why = !sends_and_receives(self, message, type)   ? "packed messages do not arrive"
          : !exchanges(self, message, type)          ? "packed messages of MPI_Sendrecv do not arrive"
          : !exchanges_with_all(self, message, type) ? "packed messages of MPI_Alltoallw do not arrive"
                                                     : nullptr;
  });
  return why;
}

}  // namespace

const char* try_out() {
  const Pmpi& p = pmpi();
  MPI_Comm self;
  if (p.Comm_dup(predefined().comm_self, &self) != MPI_SUCCESS) return "no communicator";
  const char* why = "no datatypes";
  MPI_Datatype type;
  if (p.Comm_set_errhandler(self, predefined().errors_return) == MPI_SUCCESS && KnownMessage::make_type(&type)) {
    if (p.Type_commit(&type) == MPI_SUCCESS) why = try_on(self, type);
    p.Type_free(&type);
    if (why == nullptr) try_carrier_elements(self);
    if (why == nullptr) try_out_extended_requests(self);  // without them, nonblocking calls are the host's
  }
  p.Comm_free(&self);
  return why;
}

}  // namespace marshal::calls
