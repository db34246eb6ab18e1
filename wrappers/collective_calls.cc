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

// Array arguments with a type for each block. In Fortran they are numbers.
class TypesInC {
 public:
  TypesInC(Binding binding, const MPI_Datatype* types, int count) : types_(types) {
    if (binding == Binding::c || types == nullptr) return;
    const MPI_Fint* const numbers = static_cast<const MPI_Fint*>(static_cast<const void*>(types));
    converted_.resize(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < converted_.size(); ++k) from_fortran(numbers[k], converted_[k]);
    types_ = converted_.data();
  }
  const MPI_Datatype* data() const { return types_; }

 private:
  const MPI_Datatype* types_;
  std::vector<MPI_Datatype> converted_;
};

// One side of an exchange, whose blocks the host gets as they are or packed.
template <class Place>
struct Side {
  PackedBlocks<Place> packed;
  bool is_packed = false;

  // `block(k)`: block k of the program's. False where one is not certainly right.
  template <class Block>
  bool begin(int blocks, bool receives, Block block) {
    const auto look_at = [&](int k) {
      const ProgramBuffer buffer = block(k);
      return calls::FirstLook(buffer.type, buffer.count, receives);
    };
    int k = 0;
    while (k < blocks && !look_at(k).may_be_packed()) ++k;
    if (k == blocks) {
      for (k = 0; k < blocks; ++k) look_at(k).count_as_left();
      return true;
    }
    bool can_be_packed = true;
    packed.reserve(static_cast<std::size_t>(blocks));
    for (k = 0; k < blocks && can_be_packed; ++k) can_be_packed = packed.add(block(k), receives);
    is_packed = can_be_packed && packed.begin();
    return true;
  }
};

ProgramBuffer moved_by(void* user, std::int64_t bytes, int count, MPI_Datatype type) {
  return {static_cast<std::byte*>(user) + bytes, false, count, type};
}

// The arguments of one side, as the host's C functions take them. Places are in bytes.
template <class Place>
struct TypedArguments {
  void* user;
  const int* counts;
  const Place* places;
  const MPI_Datatype* types;

  bool begin(Side<Place>& side, int blocks, bool receives) const {
    if (user == nullptr || counts == nullptr || places == nullptr || types == nullptr) return false;
    return side.begin(blocks, receives, [&](int k) { return moved_by(user, places[k], counts[k], types[k]); });
  }
  TypedArguments of_host(const Side<Place>& side) const {
    if (!side.is_packed) return *this;
    return {side.packed.data(), side.packed.counts(), side.packed.places(), side.packed.types()};
  }
};

// With one type for all blocks, in whose extents the places are. Packed blocks go as bytes.
struct OneTypeArguments {
  void* user;
  const int* counts;
  const int* places;
  MPI_Datatype type;

  bool begin(Side<int>& side, int blocks, bool receives) const {
    MPI_Aint low = 0, extent = 0;
    if (user == nullptr || counts == nullptr || places == nullptr) return false;
    if (pmpi().Type_get_extent(type, &low, &extent) != MPI_SUCCESS) return false;
    return side.begin(blocks, receives, [&](int k) { return moved_by(user, places[k] * extent, counts[k], type); });
  }
  OneTypeArguments of_host(const Side<int>& side) const {
    if (!side.is_packed) return *this;
    return {side.packed.data(), side.packed.byte_counts(), side.packed.places(), predefined().type_byte};
  }
};

// `run(send, receive)`: the host's function.
template <class Place, class Send, class Receive, class Run>
int exchange_blocks(HostCall& host, const Send& send, const Receive& receive, const Neighbours& with, Run run) {
  Side<Place> sent, received;
  bool begun = false;
  HostCall::own([&] {
    begun = send.begin(sent, with.destinations, false) && receive.begin(received, with.sources, true) &&
            (sent.is_packed || received.is_packed);
    if (begun && sent.is_packed) sent.packed.pack();
    if (begun && received.is_packed) received.packed.pack();  // what does not come stays as it is
  });
  if (!begun) return host();
  return host.instead([&] {
    const int code = run(send.of_host(sent), receive.of_host(received));
    if (code == MPI_SUCCESS && received.is_packed) received.packed.unpack();
    return code;
  });
}

// The neighbours of a call that may be made by packed buffers.
Neighbours neighbours_of(HostCall& host, const void* sendbuf, const void* recvbuf, MPI_Comm comm) {
  Neighbours n;
  HostCall::own([&] {
    if (may_exchange(host.binding, sendbuf, recvbuf)) n = neighbours_of(comm);
  });
  return n;
}

}  // namespace

int alltoallw_by_calls(HostCall& host, void* sendbuf, const int* sendcounts, const int* sdispls,
                       const MPI_Datatype* sendtypes, void* recvbuf, const int* counts, const int* rdispls,
                       const MPI_Datatype* types, MPI_Comm comm) {
  const int processes = may_exchange(host.binding, sendbuf, recvbuf) ? processes_of(comm) : 0;
  if (processes == 0) return host();
  const TypesInC of_sends(host.binding, sendtypes, processes), of_receives(host.binding, types, processes);
  using Arguments = TypedArguments<int>;
  return exchange_blocks<int>(host, Arguments{sendbuf, sendcounts, sdispls, of_sends.data()},
                              Arguments{recvbuf, counts, rdispls, of_receives.data()}, {processes, processes},
                              [&](const Arguments& s, const Arguments& r) {
                                return pmpi().Alltoallw(s.user, s.counts, s.places, s.types, r.user, r.counts, r.places,
                                                        r.types, comm);
                              });
}
// With large counts it is the host's, as are those below.
int alltoallw_by_calls(HostCall& host, void*, void*, void*, const MPI_Datatype*, void*, void*, void*,
                       const MPI_Datatype*, MPI_Comm) {
  return host();
}

int neighbor_alltoallw_by_calls(HostCall& host, void* sendbuf, const int* sendcounts, void* sdispls,
                                const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts, void* rdispls,
                                const MPI_Datatype* recvtypes, MPI_Comm comm) {
  const Neighbours n = neighbours_of(host, sendbuf, recvbuf, comm);
  if (n.sources + n.destinations == 0) return host();
  const TypesInC of_sends(host.binding, sendtypes, n.destinations), of_receives(host.binding, recvtypes, n.sources);
  using Arguments = TypedArguments<MPI_Aint>;
  return exchange_blocks<MPI_Aint>(
      host, Arguments{sendbuf, sendcounts, static_cast<const MPI_Aint*>(sdispls), of_sends.data()},
      Arguments{recvbuf, recvcounts, static_cast<const MPI_Aint*>(rdispls), of_receives.data()}, n,
      [&](const Arguments& s, const Arguments& r) {
        return pmpi().Neighbor_alltoallw(s.user, s.counts, s.places, s.types, r.user, r.counts, r.places, r.types,
                                         comm);
      });
}
int neighbor_alltoallw_by_calls(HostCall& host, void*, void*, void*, const MPI_Datatype*, void*, void*, void*,
                                const MPI_Datatype*, MPI_Comm) {
  return host();
}

int neighbor_alltoallv_by_calls(HostCall& host, void* sendbuf, const int* sendcounts, const int* sdispls,
                                MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const int* rdispls,
                                MPI_Datatype recvtype, MPI_Comm comm) {
  const Neighbours n = neighbours_of(host, sendbuf, recvbuf, comm);
  if (n.sources + n.destinations == 0) return host();
  using Arguments = OneTypeArguments;
  return exchange_blocks<int>(
      host, Arguments{sendbuf, sendcounts, sdispls, sendtype}, Arguments{recvbuf, recvcounts, rdispls, recvtype}, n,
      [&](const Arguments& s, const Arguments& r) {
        return pmpi().Neighbor_alltoallv(s.user, s.counts, s.places, s.type, r.user, r.counts, r.places, r.type, comm);
      });
}
int neighbor_alltoallv_by_calls(HostCall& host, void*, void*, void*, MPI_Datatype, void*, void*, void*, MPI_Datatype,
                                MPI_Comm) {
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
  const Neighbours n = neighbours_of(host, sendbuf, recvbuf, comm);
  EvenSide send{}, receive{};
  bool begun = false;
  HostCall::own([&] {
    begun = n.sources + n.destinations != 0 &&
            send.begin(host.binding, sendbuf, sendcount, sendtype, n.destinations, false) &&
            receive.begin(host.binding, recvbuf, recvcount, recvtype, n.sources, true);
  });
  return begun ? exchange_evenly(host, send, receive, comm, pmpi().Neighbor_alltoall) : host();
}

int neighbor_allgather_by_calls(HostCall& host, void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  const Neighbours n = neighbours_of(host, sendbuf, recvbuf, comm);
  EvenSide send{}, receive{};
  bool begun = false;
  HostCall::own([&] {
    begun = n.sources + n.destinations != 0 && send.begin(host.binding, sendbuf, sendcount, sendtype, 1, false) &&
            receive.begin(host.binding, recvbuf, recvcount, recvtype, n.sources, true);
  });
  return begun ? exchange_evenly(host, send, receive, comm, pmpi().Neighbor_allgather) : host();
}

int neighbor_allgatherv_by_calls(HostCall& host, void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, const int* recvcounts, const int* displs, MPI_Datatype recvtype,
                                 MPI_Comm comm) {
  const Neighbours n = neighbours_of(host, sendbuf, recvbuf, comm);
  const OneTypeArguments receive{recvbuf, recvcounts, displs, recvtype};
  EvenSide sent{};
  Side<int> received;
  bool begun = false;
  HostCall::own([&] {
    begun = n.sources + n.destinations != 0 && sent.begin(host.binding, sendbuf, sendcount, sendtype, 1, false) &&
            receive.begin(received, n.sources, true) && (sent.is_packed || received.is_packed);
  });
  if (!begun) return host();
  if (sent.is_packed) sent.packed.pack();
  if (received.is_packed) received.packed.pack();
  return host.instead([&] {
    const OneTypeArguments r = receive.of_host(received);
    const int code =
        pmpi().Neighbor_allgatherv(sent.data(), sent.count(), sent.type(), r.user, r.counts, r.places, r.type, comm);
    if (code == MPI_SUCCESS && received.is_packed) received.packed.unpack();
    return code;
  });
}
int neighbor_allgatherv_by_calls(HostCall& host, void*, MPI_Count, MPI_Datatype, void*, void*, void*, MPI_Datatype,
                                 MPI_Comm) {
  return host();
}

}  // namespace marshal::action
