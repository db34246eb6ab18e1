// Exchanges by calls (calls/by_calls.h): buffers with gaps are packed before the host's own function, and unpacked
// behind it. Only calls whose messages have the same bytes whatever the other processes do: hosts send each block by
// itself.
#include <cstddef>
#include <optional>
#include <vector>

#include "calls/first_look.h"
#include "calls/packed_blocks.h"
#include "calls/packed_buffer.h"
#include "communicators/communicators.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "wrappers/actions.h"
#include "wrappers/buffer_in_c.h"
#include "wrappers/sentinels.h"

namespace marshal::action {
namespace {

using calls::PackedBlocks;
using calls::PackedBuffer;

// The processes of a communicator that is certainly right, and has one group; 0 for all others.
int processes_of(MPI_Comm comm) {
  const Communicator* const communicator = books::find(comm);
  return communicator == nullptr || communicator->remote ? 0 : communicator->map.size();
}

// MPI_IN_PLACE, and one buffer for both, are the host's.
bool may_exchange(Binding binding, const void* sendbuf, const void* recvbuf) {
  const auto is_a_buffer = [&](const void* passed) {
    return matches(Sentinel::in_place, binding, passed) == Match::no;
  };
  return sendbuf != recvbuf && is_a_buffer(sendbuf) && is_a_buffer(recvbuf);
}

// How many neighbours a process has to send to and to receive from; both 0 where that is unknown.
struct Neighbours {
  int sources = 0, destinations = 0;
};
Neighbours neighbours_of(MPI_Comm comm) {
  const Pmpi& p = pmpi();
  int kind = MPI_UNDEFINED, number = 0, is_weighted = 0;
  Neighbours n;
  if (processes_of(comm) == 0 || p.Topo_test(comm, &kind) != MPI_SUCCESS) return {};
  if (kind == MPI_CART && p.Cartdim_get(comm, &number) == MPI_SUCCESS) return {2 * number, 2 * number};
  if (kind == MPI_GRAPH) {
    int rank = 0;
    if (p.Comm_rank(comm, &rank) == MPI_SUCCESS && p.Graph_neighbors_count(comm, rank, &number) == MPI_SUCCESS)
      return {number, number};
    return {};
  }
  if (kind == MPI_DIST_GRAPH &&
      p.Dist_graph_neighbors_count(comm, &n.sources, &n.destinations, &is_weighted) == MPI_SUCCESS)
    return n;
  return {};
}

std::byte* moved_by(void* user, std::int64_t bytes) { return static_cast<std::byte*>(user) + bytes; }

// One side of an exchange with a type for each block, which the host gets as it is or packed. Places are in bytes.
template <class Count, class Place>
struct TypedSide {
  void* user;
  const Count* counts;
  const Place* places;
  const MPI_Datatype* types;
  PackedBlocks<Place> packed{};
  bool is_packed = false;

  // False where an argument is not certainly right.
  bool begin(int blocks, bool receives) {
    if (user == nullptr || counts == nullptr || places == nullptr || types == nullptr) return false;
    const auto look_at = [&](int k) {
      return calls::FirstLook(types[k], static_cast<std::int64_t>(counts[k]), receives);
    };
    int k = 0;
    while (k < blocks && !look_at(k).may_be_packed()) ++k;
    if (k == blocks) {
      for (k = 0; k < blocks; ++k) look_at(k).count_as_left();
      return true;
    }
    bool can_be_packed = true;
    packed.reserve(static_cast<std::size_t>(blocks));
    for (k = 0; k < blocks && can_be_packed; ++k)
      can_be_packed = packed.add(
          {moved_by(user, static_cast<std::int64_t>(places[k])), false, static_cast<std::int64_t>(counts[k]), types[k]},
          receives);
    is_packed = can_be_packed && packed.begin();
    return true;
  }
};

// `run(side, side)`: the host's function. Sides that are not packed stay the program's.
template <class Send, class Receive, class Run>
int exchange_typed(HostCall& host, Send& send, Receive& receive, const Neighbours& with, Run run) {
  bool begun = false;
  HostCall::own([&] {
    begun = send.begin(with.destinations, false) && receive.begin(with.sources, true) &&
            (send.is_packed || receive.is_packed);
    if (begun && send.is_packed) send.packed.pack();
    if (begun && receive.is_packed) receive.packed.pack();  // what does not come stays as it is
  });
  if (!begun) return host();
  return host.instead([&] {
    const int code = run();
    if (code == MPI_SUCCESS && receive.is_packed) receive.packed.unpack();
    return code;
  });
}

}  // namespace

// From C only: arrays of datatypes are others in Fortran.
int alltoallw_by_calls(HostCall& host, void* sendbuf, const int* sendcounts, const int* sdispls,
                       const MPI_Datatype* sendtypes, void* recvbuf, const int* counts, const int* rdispls,
                       const MPI_Datatype* types, MPI_Comm comm) {
  const int processes =
      host.binding == Binding::c && may_exchange(host.binding, sendbuf, recvbuf) ? processes_of(comm) : 0;
  if (processes == 0) return host();
  TypedSide<int, int> send{sendbuf, sendcounts, sdispls, sendtypes}, receive{recvbuf, counts, rdispls, types};
  return exchange_typed(host, send, receive, {processes, processes}, [&] {
    const auto &s = send.packed, &r = receive.packed;
    return pmpi().Alltoallw(send.is_packed ? s.data() : sendbuf, send.is_packed ? s.counts() : sendcounts,
                            send.is_packed ? s.places() : sdispls, send.is_packed ? s.types() : sendtypes,
                            receive.is_packed ? r.data() : recvbuf, receive.is_packed ? r.counts() : counts,
                            receive.is_packed ? r.places() : rdispls, receive.is_packed ? r.types() : types, comm);
  });
}
// With large counts it is the host's.
int alltoallw_by_calls(HostCall& host, void*, void*, void*, const MPI_Datatype*, void*, void*, void*,
                       const MPI_Datatype*, MPI_Comm) {
  return host();
}

int neighbor_alltoallw_by_calls(HostCall& host, void* sendbuf, const int* sendcounts, void* sdispls,
                                const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts, void* rdispls,
                                const MPI_Datatype* recvtypes, MPI_Comm comm) {
  Neighbours n;
  HostCall::own([&] {
    if (host.binding == Binding::c && may_exchange(host.binding, sendbuf, recvbuf)) n = neighbours_of(comm);
  });
  if (n.sources + n.destinations == 0) return host();
  const auto *const from = static_cast<const MPI_Aint*>(sdispls), *const into = static_cast<const MPI_Aint*>(rdispls);
  TypedSide<int, MPI_Aint> send{sendbuf, sendcounts, from, sendtypes}, receive{recvbuf, recvcounts, into, recvtypes};
  return exchange_typed(host, send, receive, n, [&] {
    const auto &s = send.packed, &r = receive.packed;
    return pmpi().Neighbor_alltoallw(send.is_packed ? s.data() : sendbuf, send.is_packed ? s.counts() : sendcounts,
                                     send.is_packed ? s.places() : from, send.is_packed ? s.types() : sendtypes,
                                     receive.is_packed ? r.data() : recvbuf,
                                     receive.is_packed ? r.counts() : recvcounts, receive.is_packed ? r.places() : into,
                                     receive.is_packed ? r.types() : recvtypes, comm);
  });
}
int neighbor_alltoallw_by_calls(HostCall& host, void*, void*, void*, const MPI_Datatype*, void*, void*, void*,
                                const MPI_Datatype*, MPI_Comm) {
  return host();
}

namespace {

// One side of an exchange of equal blocks of one type, one behind the other.
struct EvenSide {
  ProgramBuffer buffer;  // all blocks
  int blocks;
  PackedBuffer packed{};
  bool is_packed = false;

  // False where an argument is not certainly right.
  bool begin(Binding binding, void* user, MPI_Count count, MPI_Datatype type, int its_blocks, bool receives) {
    const std::optional<ProgramBuffer> one = buffer_in_c(binding, user, count, type);
    if (!one || one->is_bottom) return false;
    buffer = *one;
    blocks = its_blocks;
    if (blocks == 0) return true;
    ProgramBuffer all = buffer;
    all.count *= blocks;
    is_packed = packed.begin(all, receives);
    return true;
  }
  void* data() const { return is_packed ? packed.data() : buffer.user; }
  int count() const { return is_packed ? packed.elements() / blocks : static_cast<int>(buffer.count); }
  MPI_Datatype type() const { return is_packed ? packed.element() : buffer.type; }
};

using EvenExchange = int (*)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);

int exchange_evenly(HostCall& host, EvenSide& send, EvenSide& receive, MPI_Comm comm, EvenExchange exchange) {
  if (!send.is_packed && !receive.is_packed) return host();
  if (send.is_packed) send.packed.pack();
  if (receive.is_packed) receive.packed.pack();  // what does not come stays as it is
  return host.instead([&] {
    const int code =
        exchange(send.data(), send.count(), send.type(), receive.data(), receive.count(), receive.type(), comm);
    if (code == MPI_SUCCESS && receive.is_packed) receive.packed.unpack(receive.packed.bytes());
    return code;
  });
}

}  // namespace

int neighbor_alltoall_by_calls(HostCall& host, void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  Neighbours n;
  EvenSide send{}, receive{};
  bool begun = false;
  HostCall::own([&] {
    if (may_exchange(host.binding, sendbuf, recvbuf)) n = neighbours_of(comm);
    begun = n.sources + n.destinations != 0 &&
            send.begin(host.binding, sendbuf, sendcount, sendtype, n.destinations, false) &&
            receive.begin(host.binding, recvbuf, recvcount, recvtype, n.sources, true);
  });
  return begun ? exchange_evenly(host, send, receive, comm, pmpi().Neighbor_alltoall) : host();
}

int neighbor_allgather_by_calls(HostCall& host, void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  Neighbours n;
  EvenSide send{}, receive{};
  bool begun = false;
  HostCall::own([&] {
    if (may_exchange(host.binding, sendbuf, recvbuf)) n = neighbours_of(comm);
    begun = n.sources + n.destinations != 0 && send.begin(host.binding, sendbuf, sendcount, sendtype, 1, false) &&
            receive.begin(host.binding, recvbuf, recvcount, recvtype, n.sources, true);
  });
  return begun ? exchange_evenly(host, send, receive, comm, pmpi().Neighbor_allgather) : host();
}

}  // namespace marshal::action
