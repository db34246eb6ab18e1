// Blocking messages by calls (calls/by_calls.h): buffers with gaps are packed before the host's own function, and
// unpacked behind it. Calls that are not certainly right go to the host as they are.
#include <optional>

#include "calls/carrier.h"
#include "calls/cut_ends.h"
#include "calls/packed_buffer.h"
#include "communicators/communicators.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "wrappers/actions/program_status.h"
#include "wrappers/entry/actions.h"
#include "wrappers/entry/sentinels.h"

namespace marshal::action {
namespace {

using calls::Carrier;
using calls::PackedBuffer;

// Ranks and tags that a host may take. It finds out whether they are too large.
bool may_be_sent(int rank, int tag) { return rank >= 0 && tag >= 0; }
bool may_be_received(int rank, int tag) {
  return (rank >= 0 || rank == MPI_ANY_SOURCE) && (tag >= 0 || tag == MPI_ANY_TAG);
}
bool is_known(MPI_Comm comm) { return books::find(comm) != nullptr; }

using Sender = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);

Sender sender_of(Call call) {
  switch (call) {
    case Call::Bsend:
    case Call::Bsend_c:
      return pmpi().Bsend;
    case Call::Rsend:
    case Call::Rsend_c:
      return pmpi().Rsend;
    case Call::Ssend:
    case Call::Ssend_c:
      return pmpi().Ssend;
    default:
      return pmpi().Send;
  }
}

// A receive into a packed copy, within the host's call.
class Receive {
 public:
  Receive(PackedBuffer& packed, Carrier& carrier) : packed_(packed), carrier_(carrier) {}
  Receive(const Receive&) = delete;
  Receive& operator=(const Receive&) = delete;
  // Where a handler of the program has thrown.
  ~Receive() {
    if (!is_over_) end_failed();
  }

  // Gives the program what came. `code`: the host's. Returns the program's: one that differs has reached no handler.
  int end(const ProgramBuffer& buffer, const MPI_Status& status, int code) {
    if (code != MPI_SUCCESS) {
      end_failed();
      return code;
    }
    is_over_ = true;
    carrier_.close_gap();
    const std::int64_t bytes = bytes_in(status);
    if (calls::may_end_inside_element(packed_, bytes)) [[unlikely]]
      return calls::deliver_by_host(packed_, bytes, buffer);
    packed_.unpack(bytes);
    packed_.learn(buffer.type, bytes);
    return code;
  }

 private:
  void end_failed() {
    is_over_ = true;
    carrier_.close_gap();
    packed_.unpack_after_error();
  }

  PackedBuffer& packed_;
  Carrier& carrier_;
  bool is_over_ = false;
};

// The same behind the host's call, and tells the program.
int bring(Receive& receive, const ProgramBuffer& buffer, ProgramStatus& told, int code, MPI_Comm comm) {
  const int brought = receive.end(buffer, told.own, code);
  told.write_back();
  if (brought != code) calls::CommunicatorOfMessage(comm).tell_handler(brought);
  return brought;
}

}  // namespace

int send_by_calls(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  PackedBuffer packed;
  Carrier carrier;
  bool begun = false;
  HostCall::own([&] {
    if (!may_be_sent(dest, tag) || !is_known(comm)) return;
    const std::optional<ProgramBuffer> buffer = buffer_in_c(host.binding, buf, count, type);
    begun = buffer && packed.begin(*buffer, false) && carrier.begin_send(packed);
  });
  if (!begun) return host();
  return host.instead([&] { return sender_of(host.call)(carrier.data(), 1, carrier.type(), dest, tag, comm); });
}

int recv_by_calls(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  void* status) {
  PackedBuffer packed;
  Carrier carrier;
  std::optional<ProgramBuffer> buffer;
  std::optional<ProgramStatus> told;
  bool begun = false;
  HostCall::own([&] {
    if (!may_be_received(source, tag) || !is_known(comm)) return;
    buffer = buffer_in_c(host.binding, buf, count, type);
    begun = buffer && packed.begin(*buffer, true) && told.emplace(host.binding, status).is_known() &&
            carrier.begin_receive(packed);
  });
  if (!begun) return host();
  return host.instead([&] {
    Receive receive(packed, carrier);
    const int code = pmpi().Recv(carrier.data(), carrier.count(), carrier.type(), source, tag, comm, &told->own);
    return bring(receive, *buffer, *told, code, comm);
  });
}

// On Open MPI only, and from C: in Fortran a message is another number there. Whose error handler MPICH would call of a
// message that ends inside an element is not known.
int mrecv_by_calls(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, void* message, void* status) {
  PackedBuffer packed;
  Carrier carrier;
  std::optional<ProgramBuffer> buffer;
  std::optional<ProgramStatus> told;
  bool begun = false;
  HostCall::own([&] {
    if (!is_open_mpi() || host.binding != Binding::c || message == nullptr) return;
    buffer = buffer_in_c(host.binding, buf, count, type);
    begun = buffer && packed.begin(*buffer, true) && told.emplace(host.binding, status).is_known() &&
            carrier.begin_receive(packed);
  });
  if (!begun) return host();
  return host.instead([&] {
    Receive receive(packed, carrier);
    int code =
        pmpi().Mrecv(carrier.data(), carrier.count(), carrier.type(), static_cast<MPI_Message*>(message), &told->own);
    code = receive.end(*buffer, told->own, code);
    told->write_back();
    return code;
  });
}

int sendrecv_by_calls(HostCall& host, void* sendbuf, MPI_Count count, MPI_Datatype type, int dest, int sendtag,
                      void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                      void* status) {
  PackedBuffer sent, received;
  Carrier sending, receiving;
  std::optional<ProgramBuffer> from, into;
  std::optional<ProgramStatus> told;
  bool is_sent_packed = false, is_received_packed = false;
  HostCall::own([&] {
    const bool sends = may_be_sent(dest, sendtag), receives = may_be_received(source, recvtag);
    if (!is_known(comm) || !(sends || dest == MPI_PROC_NULL) || !(receives || source == MPI_PROC_NULL)) return;
    from = buffer_in_c(host.binding, sendbuf, count, type);
    into = buffer_in_c(host.binding, recvbuf, recvcount, recvtype);
    if (!from || !into || !told.emplace(host.binding, status).is_known()) return;
    is_sent_packed = sends && sent.begin(*from, false) && sending.begin_send(sent);
    is_received_packed = receives && received.begin(*into, true) && receiving.begin_receive(received);
  });
  if (!is_sent_packed && !is_received_packed) return host();
  return host.instead([&] {
    std::optional<Receive> receive;
    if (is_received_packed) receive.emplace(received, receiving);
    const void* const data = is_sent_packed ? sending.data() : from->user;
    const int sends = is_sent_packed ? 1 : static_cast<int>(from->count);
    void* const room = receive ? receiving.data() : into->user;
    const int receives = receive ? receiving.count() : static_cast<int>(into->count);
    const int code =
        pmpi().Sendrecv(data, sends, is_sent_packed ? sending.type() : from->type, dest, sendtag, room, receives,
                        receive ? receiving.type() : into->type, source, recvtag, comm, &told->own);
    if (receive) return bring(*receive, *into, *told, code, comm);
    told->write_back();
    return code;
  });
}

// The host itself sends from a copy.
int replace_by_calls(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int dest, int sendtag, int source,
                     int recvtag, MPI_Comm comm, void* status) {
  PackedBuffer packed;
  Carrier carrier;
  std::optional<ProgramBuffer> buffer;
  std::optional<ProgramStatus> told;
  bool begun = false;
  HostCall::own([&] {
    if (!is_known(comm) || !may_be_sent(dest, sendtag) || !may_be_received(source, recvtag)) return;
    buffer = buffer_in_c(host.binding, buf, count, type);
    begun = buffer && packed.begin(*buffer, false) && told.emplace(host.binding, status).is_known() &&
            carrier.begin_replace(packed);
  });
  if (!begun) return host();
  return host.instead([&] {
    Receive receive(packed, carrier);
    const int code = pmpi().Sendrecv_replace(carrier.data(), carrier.count(), carrier.type(), dest, sendtag, source,
                                             recvtag, comm, &told->own);
    return bring(receive, *buffer, *told, code, comm);
  });
}

}  // namespace marshal::action
