// Nonblocking messages by calls (calls/by_calls.h), on hosts with extended requests (copies/extended_requests.h). A
// send is packed at once; its copy lives until the host has sent it. A receive is unpacked in the call that completes
// it. What is not certainly right goes to the host as it is.
#include <memory>
#include <optional>
#include <utility>

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
  PackedBuffer packed;
  void ended(MPI_Status& status) noexcept override {
    int is_cancelled = 0;
    if (pmpi().Test_cancelled(&status, &is_cancelled) == MPI_SUCCESS && is_cancelled == 0)
      packed.unpack(bytes_in(status));
  }
};

// A request of the host for a packed buffer, and what is done once it has ended.
template <class Buffer>
struct PackedRequest {
  std::optional<ExtendedRequest> request;
  PackedBuffer* packed = nullptr;

  // False if the host is to get the buffer as it is. Throws std::bad_alloc.
  bool begin(const ProgramBuffer& buffer, bool receives) {
    auto completion = std::make_unique<Buffer>();
    if (!completion->packed.begin(buffer, receives)) return false;
    packed = &completion->packed;
    request.emplace(std::move(completion));
    return true;
  }
  MPI_Request* inner() { return request->inner(); }
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
// Makes a receive by `receive`, which gets the copy and the place for the host's request.
template <class Receive>
int receive_packed(HostCall& host, PackedRequest<ReceivedBuffer>& request, MPI_Request* made, Receive&& receive) {
  return host.instead([&] {
    const int code =
        receive(request.packed->data(), request.packed->elements(), request.packed->element(), request.inner());
    return code == MPI_SUCCESS ? request.request->start(made) : code;
  });
}

}  // namespace

int send_later(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* made) {
  PackedRequest<calls::SentBuffer> request;
  calls::PackedSend send;
  bool begun = false;
  const calls::Destination to{dest, tag, comm};
  const NonblockingSender sender = nonblocking_sender_of(host.call);
  HostCall::own([&] {
    if (made == nullptr || dest < 0 || tag < 0 || !ExtendedRequest::work() || books::find(comm) == nullptr) return;
    const std::optional<ProgramBuffer> buffer = buffer_in_c(host.binding, buf, count, type);
    if (!buffer || !request.begin(*buffer, false)) return;
    const bool may_wait_or_not = sender == pmpi().Isend || sender == pmpi().Irsend;
    begun = may_wait_or_not ? send.begin(*request.packed, to, true) : send.begin_as_bytes(*request.packed);
  });
  if (!begun) return host();
  return host.instead([&] {
    MPI_Request* const inner = request.inner();
    const int code = sender(send.data(), send.count(), send.type(), dest, tag, comm, inner);
    if (code != MPI_SUCCESS) return code;
    const bool has_gone = calls::has_ended(*inner);
    if (send.is_watched()) send.note(has_gone);
    if (has_gone) {  // the copy is needed no more
      *made = *inner;
      return code;
    }
    if (!send.is_watched()) return request.request->start(made);
    request.request->leave();
    return pmpi().Isend(nullptr, 0, predefined().type_byte, MPI_PROC_NULL, tag, comm, made);  // it has ended
  });
}

int receive_later(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request* made) {
  PackedRequest<ReceivedBuffer> request;
  bool begun = false;
  HostCall::own([&] {
    const bool may_come = (source >= 0 || source == MPI_ANY_SOURCE) && (tag >= 0 || tag == MPI_ANY_TAG);
    if (made == nullptr || !may_come || !ExtendedRequest::work() || books::find(comm) == nullptr) return;
    const std::optional<ProgramBuffer> buffer = buffer_in_c(host.binding, buf, count, type);
    begun = buffer && request.begin(*buffer, true);
  });
  if (!begun) return host();
  return receive_packed(host, request, made, [&](void* data, int elements, MPI_Datatype element, MPI_Request* inner) {
    return pmpi().Irecv(data, elements, element, source, tag, comm, inner);
  });
}

// The handle of a message is the same number in all languages on MPICH.
int receive_matched_later(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, void* message,
                          MPI_Request* made) {
  PackedRequest<ReceivedBuffer> request;
  bool begun = false;
  HostCall::own([&] {
    const bool is_known = host.binding == Binding::c || sizeof(MPI_Message) == sizeof(MPI_Fint);
    if (made == nullptr || message == nullptr || !is_known || !ExtendedRequest::work() ||
        *static_cast<MPI_Message*>(message) == predefined().message_no_proc)
      return;
    const std::optional<ProgramBuffer> buffer = buffer_in_c(host.binding, buf, count, type);
    begun = buffer && request.begin(*buffer, true);
  });
  if (!begun) return host();
  return receive_packed(host, request, made, [&](void* data, int elements, MPI_Datatype element, MPI_Request* inner) {
    return pmpi().Imrecv(data, elements, element, static_cast<MPI_Message*>(message), inner);
  });
}

}  // namespace marshal::action
