// Nonblocking messages by calls (calls/by_calls.h), on hosts with extended requests (copies/extended_requests.h). A
// send is packed at once; its copy lives until the host has sent it. A receive is unpacked in the call that completes
// it. A call that is not certainly right goes to the host as it is.
#include <memory>
#include <optional>
#include <utility>

#include "calls/carrier.h"
#include "calls/cut_ends.h"
#include "calls/packed_buffer.h"
#include "communicators/communicators.h"
#include "copies/extended_requests.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "wrappers/entry/actions.h"
#include "wrappers/entry/sentinels.h"

namespace marshal::action {
namespace {

using calls::PackedBuffer;

// The memory of the copy is given back with it.
class SentBuffer final : public Completion {
 public:
  PackedBuffer packed;
  int ended(MPI_Status&, int code) noexcept override { return code; }
};

class ReceivedBuffer final : public Completion {
 public:
  ReceivedBuffer(const ProgramBuffer& into, MPI_Comm from) : buffer_(into), communicator_(from) {}
  PackedBuffer packed;

  int ended(MPI_Status& status, int code) noexcept override {
    if (code != MPI_SUCCESS) {
      packed.unpack_after_error();
      return code;
    }
    int is_cancelled = 0;
    if (pmpi().Test_cancelled(&status, &is_cancelled) != MPI_SUCCESS || is_cancelled != 0) return code;
    const std::int64_t bytes = bytes_in(status);
    // The program may have freed the type meanwhile.
    const bool has_type = packed.is_of(buffer_.type);
    if (calls::may_end_inside_element(packed, bytes) && has_type) [[unlikely]]
      return calls::deliver_by_host(packed, bytes, buffer_);
    packed.unpack(bytes);
    if (has_type) packed.learn(buffer_.type, bytes);
    return code;
  }
  void tell_handler(int error) override { communicator_.tell_handler(error); }

 private:
  const ProgramBuffer buffer_;
  const calls::CommunicatorOfMessage communicator_;
};

using NonblockingSender = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

NonblockingSender nonblocking_sender_of(Call call) {
  switch (call) {
    case Call::Ibsend:
    case Call::Ibsend_c:
      return pmpi().Ibsend;
    case Call::Issend:
    case Call::Issend_c:
      return pmpi().Issend;
    case Call::Irsend:
    case Call::Irsend_c:
      return pmpi().Irsend;
    default:
      return pmpi().Isend;
  }
}

bool has_ended(MPI_Request request) {
  int flag = 0;
  return pmpi().Request_get_status(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0;
}

}  // namespace

int send_later(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* made) {
  calls::Carrier carrier;
  std::optional<ExtendedRequest> request;
  HostCall::own([&] {
    if (made == nullptr || dest < 0 || tag < 0 || !ExtendedRequest::work() || books::find(comm) == nullptr) return;
    const std::optional<ProgramBuffer> buffer = buffer_in_c(host.binding, buf, count, type);
    if (!buffer) return;
    auto sent = std::make_unique<SentBuffer>();
    if (sent->packed.begin(*buffer, false) && carrier.begin_send(sent->packed)) request.emplace(std::move(sent));
  });
  if (!request) return host();
  return host.instead([&] {
    const int code =
        nonblocking_sender_of(host.call)(carrier.data(), 1, carrier.type(), dest, tag, comm, request->inner());
    if (code != MPI_SUCCESS) return code;
    if (!has_ended(*request->inner())) return request->start(made);
    *made = *request->inner();  // the copy is needed no more
    return code;
  });
}

int receive_later(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request* made) {
  std::optional<ExtendedRequest> request;
  const PackedBuffer* packed = nullptr;
  HostCall::own([&] {
    const bool may_come = (source >= 0 || source == MPI_ANY_SOURCE) && (tag >= 0 || tag == MPI_ANY_TAG);
    if (made == nullptr || !may_come || !ExtendedRequest::work() || books::find(comm) == nullptr) return;
    const std::optional<ProgramBuffer> buffer = buffer_in_c(host.binding, buf, count, type);
    if (!buffer) return;
    auto received = std::make_unique<ReceivedBuffer>(*buffer, comm);
    if (!received->packed.begin(*buffer, true)) return;
    received->packed.mark_end();
    packed = &received->packed;
    request.emplace(std::move(received));
  });
  if (!request) return host();
  return host.instead([&] {
    const int code =
        pmpi().Irecv(packed->data(), packed->elements(), packed->element(), source, tag, comm, request->inner());
    return code == MPI_SUCCESS ? request->start(made) : code;
  });
}

}  // namespace marshal::action
