// Blocking messages by calls (calls/by_calls.h): buffers with gaps are packed before the host's own function, and
// unpacked behind it. Calls that are not certainly right go to the host as they are.
#include <optional>

#include "calls/cut_ends.h"
#include "calls/packed_buffer.h"
#include "calls/sending.h"
#include "communicators/communicators.h"
#include "host/implementation.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "wrappers/actions.h"
#include "wrappers/buffer_in_c.h"
#include "wrappers/program_status.h"

namespace marshal::action {
namespace {

using calls::PackedBuffer;

// Ranks and tags that a host may take. It finds out whether they are too large.
bool may_be_sent(int rank, int tag) { return rank >= 0 && tag >= 0; }
bool may_be_received(int rank, int tag) {
  return (rank >= 0 || rank == MPI_ANY_SOURCE) && (tag >= 0 || tag == MPI_ANY_TAG);
}
bool is_known(MPI_Comm comm) { return books::find(comm) != nullptr; }

using Sender = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);

// Null for MPI_Send, which may wait or not.
Sender sender_of(Call call) {
  switch (call) {
    case Call::Bsend:
    case Call::Bsend_c:
      return pmpi().Bsend;
    case Call::Ssend:
    case Call::Ssend_c:
      return pmpi().Ssend;
    default:
      return nullptr;
  }
}
bool is_ready_send(Call call) { return call == Call::Rsend || call == Call::Rsend_c; }

// Gives the program what a receive brings. `code`: the host's. Returns the program's.
int bring(PackedBuffer& packed, const ProgramBuffer& buffer, const MPI_Status& status, int code, MPI_Comm comm) {
  if (code != MPI_SUCCESS) return code;
  const std::int64_t bytes = bytes_in(status);
  if (calls::may_end_inside_element(packed, bytes)) [[unlikely]]
    return calls::deliver_by_host(packed, bytes, buffer, comm);
  packed.unpack(bytes);
  return code;
}

}  // namespace

int send_by_calls(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  PackedBuffer packed;
  std::optional<ProgramBuffer> buffer;
  bool begun = false;
  const calls::Destination to{dest, tag, comm};
  HostCall::own([&] {
    if (!may_be_sent(dest, tag) || !is_known(comm)) return;
    buffer = buffer_in_c(host.binding, buf, count, type);
    begun = buffer && packed.begin(*buffer) &&
            (!is_ready_send(host.call) || calls::limits_of(to).choose(packed.bytes()) == calls::SendAs::bytes);
    if (begun && (sender_of(host.call) != nullptr || is_ready_send(host.call))) packed.pack();
  });
  if (!begun) return host();
  return host.instead([&] {
    if (const Sender sender = is_ready_send(host.call) ? pmpi().Rsend : sender_of(host.call))
      return sender(packed.data(), packed.elements(), packed.element(), dest, tag, comm);
    return calls::send(packed, *buffer, to);
  });
}

int recv_by_calls(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  void* status) {
  PackedBuffer packed;
  std::optional<ProgramBuffer> buffer;
  std::optional<ProgramStatus> told;
  bool begun = false;
  HostCall::own([&] {
    if (!may_be_received(source, tag) || !is_known(comm)) return;
    buffer = buffer_in_c(host.binding, buf, count, type);
    begun = buffer && packed.begin(*buffer) && told.emplace(host.binding, status).is_known();
  });
  if (!begun) return host();
  return host.instead([&] {
    const int code = pmpi().Recv(packed.data(), packed.elements(), packed.element(), source, tag, comm, &told->own);
    const int brought = bring(packed, *buffer, told->own, code, comm);
    told->write_back();
    return brought;
  });
}

// On Open MPI only, and from C: in Fortran a message is another number there. Whose error handler MPICH would call of a
// message that ends inside an element is not known.
int mrecv_by_calls(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, void* message, void* status) {
  PackedBuffer packed;
  std::optional<ProgramStatus> told;
  bool begun = false;
  HostCall::own([&] {
    if (!is_open_mpi() || host.binding != Binding::c || message == nullptr) return;
    const std::optional<ProgramBuffer> buffer = buffer_in_c(host.binding, buf, count, type);
    begun = buffer && packed.begin(*buffer) && told.emplace(host.binding, status).is_known();
  });
  if (!begun) return host();
  return host.instead([&] {
    const int code = pmpi().Mrecv(packed.data(), packed.elements(), packed.element(),
                                  static_cast<MPI_Message*>(message), &told->own);
    if (code == MPI_SUCCESS) packed.unpack(bytes_in(told->own));
    told->write_back();
    return code;
  });
}

namespace {

// One side of MPI_Sendrecv, as the host gets it.
struct Side {
  ProgramBuffer buffer;
  PackedBuffer packed;
  bool is_packed = false;

  void* data() { return is_packed ? packed.data() : buffer.user; }
  int count() const { return is_packed ? packed.elements() : static_cast<int>(buffer.count); }
  MPI_Datatype type() const { return is_packed ? packed.element() : buffer.type; }
};

// True if the host certainly takes the send, so that a receive may be begun before it.
bool is_certainly_right(const calls::Destination& to) {
  constexpr int least_upper_bound = 32767;  // of tags, in every MPI library
  return to.tag <= least_upper_bound && to.rank < books::find(to.communicator)->addressed().size();
}

// A send that is watched, with the receive beside it, as MPI_Sendrecv does them.
int exchange_watched(calls::SendAs as, Side& send, const calls::Destination& to, Side& receive, int source, int tag,
                     MPI_Status& status) {
  const Pmpi& p = pmpi();
  MPI_Request sent = predefined().request_null, received = predefined().request_null;
  int code = p.Irecv(receive.data(), receive.count(), receive.type(), source, tag, to.communicator, &received);
  if (code != MPI_SUCCESS) return code;
  const int sending = calls::send_watched(as, send.packed, send.buffer, to, sent);
  const int waited = sent == predefined().request_null ? MPI_SUCCESS : p.Wait(&sent, MPI_STATUS_IGNORE);
  code = p.Wait(&received, &status);
  return code != MPI_SUCCESS ? code : sending != MPI_SUCCESS ? sending : waited;
}

}  // namespace

int sendrecv_by_calls(HostCall& host, void* sendbuf, MPI_Count count, MPI_Datatype type, int dest, int sendtag,
                      void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                      void* status) {
  Side send{}, receive{};
  std::optional<ProgramStatus> told;
  bool begun = false;
  calls::SendAs as = calls::SendAs::bytes;
  const calls::Destination to{dest, sendtag, comm};
  HostCall::own([&] {
    const bool sends = may_be_sent(dest, sendtag), receives = may_be_received(source, recvtag);
    if (!is_known(comm) || !(sends || dest == MPI_PROC_NULL) || !(receives || source == MPI_PROC_NULL)) return;
    const std::optional<ProgramBuffer> from = buffer_in_c(host.binding, sendbuf, count, type);
    const std::optional<ProgramBuffer> into = buffer_in_c(host.binding, recvbuf, recvcount, recvtype);
    if (!from || !into || !told.emplace(host.binding, status).is_known()) return;
    send.buffer = *from;
    receive.buffer = *into;
    send.is_packed = sends && send.packed.begin(send.buffer);
    receive.is_packed = receives && receive.packed.begin(receive.buffer);
    if (send.is_packed) as = calls::limits_of(to).choose(send.packed.bytes());
    if (send.is_packed && as == calls::SendAs::bytes) send.packed.pack();
    begun = (send.is_packed || receive.is_packed) && (as == calls::SendAs::bytes || is_certainly_right(to));
  });
  if (!begun) return host();
  return host.instead([&] {
    const int code = as == calls::SendAs::bytes
                         ? pmpi().Sendrecv(send.data(), send.count(), send.type(), dest, sendtag, receive.data(),
                                           receive.count(), receive.type(), source, recvtag, comm, &told->own)
                         : exchange_watched(as, send, to, receive, source, recvtag, told->own);
    const int brought = receive.is_packed ? bring(receive.packed, receive.buffer, told->own, code, comm) : code;
    told->write_back();
    return brought;
  });
}

// The host itself sends from a copy.
int replace_by_calls(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int dest, int sendtag, int source,
                     int recvtag, MPI_Comm comm, void* status) {
  PackedBuffer packed;
  std::optional<ProgramBuffer> buffer;
  std::optional<ProgramStatus> told;
  bool begun = false;
  HostCall::own([&] {
    if (!is_known(comm) || !may_be_sent(dest, sendtag) || !may_be_received(source, recvtag)) return;
    buffer = buffer_in_c(host.binding, buf, count, type);
    begun = buffer && packed.begin(*buffer) && told.emplace(host.binding, status).is_known();
    if (begun) packed.pack();
  });
  if (!begun) return host();
  return host.instead([&] {
    const int code = pmpi().Sendrecv_replace(packed.data(), packed.elements(), packed.element(), dest, sendtag, source,
                                             recvtag, comm, &told->own);
    const int brought = bring(packed, *buffer, told->own, code, comm);
    told->write_back();
    return brought;
  });
}

}  // namespace marshal::action
