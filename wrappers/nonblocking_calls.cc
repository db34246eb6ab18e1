// Nonblocking messages by calls (calls/by_calls.h), on hosts with extended requests (copies/extended_requests.h). A
// send is packed at once; its copy lives until the host has sent it. A receive is unpacked in the call that completes
// it. What is not certainly right goes to the host as it is.
#include <memory>
#include <optional>
#include <utility>

#include "base/attempt.h"
#include "calls/cut_ends.h"
#include "calls/packed_buffer.h"
#include "calls/sending.h"
#include "communicators/communicators.h"
#include "copies/extended_requests.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "wrappers/actions.h"
#include "wrappers/buffer_in_c.h"

namespace marshal::action {
namespace {

using calls::PackedBuffer;

class ReceivedBuffer final : public Completion {
 public:
  ReceivedBuffer(const ProgramBuffer& into, MPI_Comm from) : buffer_(into), communicator_(from) {}
  PackedBuffer packed;

  int ended(MPI_Status& status, bool by_call_for_several) noexcept override {
    int is_cancelled = 0;
    if (pmpi().Test_cancelled(&status, &is_cancelled) != MPI_SUCCESS || is_cancelled != 0) return MPI_SUCCESS;
    const std::int64_t bytes = bytes_in(status);
    // The program may have freed the type meanwhile.
    if (calls::may_end_inside_element(packed, bytes) && packed.is_of(buffer_.type)) [[unlikely]]
      return calls::deliver_by_host(packed, bytes, buffer_, communicator_,
                                    by_call_for_several ? MPI_ERR_IN_STATUS : MPI_ERR_TRUNCATE);
    packed.unpack(bytes);
    return MPI_SUCCESS;
  }

 private:
  const ProgramBuffer buffer_;
  const MPI_Comm communicator_;
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

// Gives the program a request for a send that goes on. Where memory is short, it waits.
int go_on(PackedBuffer& packed, bool program_must_not_wait, const calls::Destination& to, MPI_Request inner,
          MPI_Request* made) {
  std::optional<ExtendedRequest> request;
  if (!attempt([&] { request.emplace(std::make_unique<calls::SentBuffer>(std::move(packed))); })) {
    *made = inner;
    return pmpi().Wait(made, MPI_STATUS_IGNORE);
  }
  *request->inner() = inner;
  if (!program_must_not_wait) return request->start(made);
  request->leave();
  return pmpi().Isend(nullptr, 0, predefined().type_byte, MPI_PROC_NULL, to.tag, to.communicator, made);  // has ended
}

}  // namespace

int send_later(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* made) {
  PackedBuffer packed;
  calls::PackedSend send;
  bool begun = false;
  const calls::Destination to{dest, tag, comm};
  const NonblockingSender sender = nonblocking_sender_of(host.call);
  HostCall::own([&] {
    if (made == nullptr || dest < 0 || tag < 0 || !ExtendedRequest::work() || books::find(comm) == nullptr) return;
    const std::optional<ProgramBuffer> buffer = buffer_in_c(host.binding, buf, count, type);
    if (!buffer || !packed.begin(*buffer, false)) return;
    const bool may_wait_or_not = sender == pmpi().Isend || sender == pmpi().Irsend;
    begun = may_wait_or_not ? send.begin(packed, to, true) : send.begin_as_bytes(packed);
  });
  if (!begun) return host();
  return host.instead([&] {
    MPI_Request inner = predefined().request_null;
    const int code = sender(send.data(), send.count(), send.type(), dest, tag, comm, &inner);
    if (code != MPI_SUCCESS) return code;
    const bool has_gone = calls::has_ended(inner);
    if (send.is_watched()) send.note(has_gone);
    if (!has_gone) return go_on(packed, send.is_watched(), to, inner, made);
    *made = inner;  // the copy is needed no more
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
