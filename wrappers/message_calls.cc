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
using calls::PackedSend;

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
  PackedSend send;
  bool begun = false;
  const calls::Destination to{dest, tag, comm};
  const Sender sender = sender_of(host.call);
  HostCall::own([&] {
    if (!may_be_sent(dest, tag) || !is_known(comm)) return;
    const std::optional<ProgramBuffer> buffer = buffer_in_c(host.binding, buf, count, type);
    if (!buffer || !packed.begin(*buffer, false)) return;
    const bool may_wait_or_not = sender == pmpi().Send || sender == pmpi().Rsend;
    begun = may_wait_or_not ? send.begin(packed, to, sender == pmpi().Send) : send.begin_as_bytes(packed);
  });
  if (!begun) return host();
  return host.instead([&] {
    if (send.is_watched()) return send.send_watched(packed, to);
    return sender(send.data(), send.count(), send.type(), dest, tag, comm);
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
    begun = buffer && packed.begin(*buffer, true) && told.emplace(host.binding, status).is_known();
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
    begun = buffer && packed.begin(*buffer, true) && told.emplace(host.binding, status).is_known();
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

int sendrecv_by_calls(HostCall& host, void* sendbuf, MPI_Count count, MPI_Datatype type, int dest, int sendtag,
                      void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                      void* status) {
  PackedBuffer sent, received;
  PackedSend send;
  std::optional<ProgramBuffer> from, into;
  std::optional<ProgramStatus> told;
  bool is_sent_packed = false, is_received_packed = false;
  const calls::Destination to{dest, sendtag, comm};
  HostCall::own([&] {
    const bool sends = may_be_sent(dest, sendtag), receives = may_be_received(source, recvtag);
    if (!is_known(comm) || !(sends || dest == MPI_PROC_NULL) || !(receives || source == MPI_PROC_NULL)) return;
    from = buffer_in_c(host.binding, sendbuf, count, type);
    into = buffer_in_c(host.binding, recvbuf, recvcount, recvtype);
    if (!from || !into || !told.emplace(host.binding, status).is_known()) return;
    const bool may_be_watched = calls::is_within_limits(to) && calls::is_within_limits({source, recvtag, comm});
    is_sent_packed = sends && sent.begin(*from, false) && send.begin(sent, to, may_be_watched);
    is_received_packed = receives && received.begin(*into, true);
  });
  if (!is_sent_packed && !is_received_packed) return host();
  return host.instead([&] {
    void* const data = is_received_packed ? received.data() : into->user;
    const int room = is_received_packed ? received.elements() : static_cast<int>(into->count);
    const MPI_Datatype element = is_received_packed ? received.element() : into->type;
    const auto run = [&] {
      if (is_sent_packed && send.is_watched()) {
        const int code = send.send_watched(sent, to);
        return code != MPI_SUCCESS ? code : pmpi().Recv(data, room, element, source, recvtag, comm, &told->own);
      }
      return pmpi().Sendrecv(is_sent_packed ? send.data() : from->user,
                             is_sent_packed ? send.count() : static_cast<int>(from->count),
                             is_sent_packed ? send.type() : from->type, dest, sendtag, data, room, element, source,
                             recvtag, comm, &told->own);
    };
    const int code = run();
    const int brought = is_received_packed ? bring(received, *into, told->own, code, comm) : code;
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
    begun = buffer && packed.begin(*buffer, true) && told.emplace(host.binding, status).is_known();
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
