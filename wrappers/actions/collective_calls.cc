// Exchanges by calls (calls/by_calls.h): buffers with gaps are packed before the host's own function, and unpacked
// behind it. Only calls whose messages have the same bytes whatever the other processes do: hosts send each block by
// itself.
#include "wrappers/actions/collective_calls.h"

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "calls/by_calls.h"
#include "calls/packed_blocks.h"
#include "calls/packed_buffer.h"
#include "calls/worth_packing.h"
#include "communicators/communicators.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "messages/mpich/packed_broadcasts.h"
#include "reordering/topology_neighbours.h"
#include "wrappers/entry/actions.h"
#include "wrappers/entry/sentinels.h"

namespace marshal::action {
namespace {

using calls::PackedBlocks;
using calls::PackedBuffer;

// Sentinels, and one buffer for both sides, are the host's.
bool may_exchange(Binding binding, const void* sendbuf, const void* recvbuf) {
  const auto is_a_buffer = [&](const void* passed) {
    return matches(Sentinel::in_place, binding, passed) == Match::no &&
           matches(Sentinel::bottom, binding, passed) == Match::no;
  };
  return sendbuf != recvbuf && is_a_buffer(sendbuf) && is_a_buffer(recvbuf);
}

// The blocks that a process sends to its neighbours and receives from them.
struct Neighbours {
  int sources = 0, destinations = 0;               // both 0 where that is unknown
  const std::vector<PeerName>* of_grid = nullptr;  // where sources and destinations are the same

  // `count` elements of a block; none are sent or come over the edge of a grid. A wrong count stays wrong.
  int count_of(int block, int count) const {
    const bool is_over_edge = of_grid != nullptr && (*of_grid)[static_cast<std::size_t>(block)] == no_neighbour;
    return is_over_edge && count > 0 ? 0 : count;
  }
};
Neighbours neighbours_of(MPI_Comm comm) {
  const Pmpi& p = pmpi();
  int kind = MPI_UNDEFINED, is_weighted = 0;
  Neighbours n;
  if (processes_of(comm) == 0 || p.Topo_test(comm, &kind) != MPI_SUCCESS) return {};
  if (kind == MPI_DIST_GRAPH)
    return p.Dist_graph_neighbors_count(comm, &n.sources, &n.destinations, &is_weighted) == MPI_SUCCESS ? n
                                                                                                        : Neighbours{};
  n.of_grid = topology_neighbours(comm);
  if (n.of_grid != nullptr) n.sources = n.destinations = static_cast<int>(n.of_grid->size());
  return n;
}

// One side of an exchange, whose blocks the host gets as they are or packed.
template <class Place>
struct Side {
  PackedBlocks<Place> packed;
  bool is_packed = false;

  // `block(k)`: block k of the program's.
  template <class Block>
  void begin(int blocks, bool receives, Block block) {
    if (receives && !calls::may_receive_blocks_packed()) return;
    const auto look_at = [&](int k) {
      const ProgramBuffer buffer = block(k);
      return calls::FirstLook(buffer.type, buffer.count, receives);
    };
    int k = 0;
    while (k < blocks && !look_at(k).may_be_packed()) ++k;
    if (k == blocks) {
      for (k = 0; k < blocks; ++k) look_at(k).count_as_left();
      return;
    }
    bool can_be_packed = true;
    packed.reserve(static_cast<std::size_t>(blocks));
    for (k = 0; k < blocks && can_be_packed; ++k) can_be_packed = packed.add(block(k), receives);
    is_packed = can_be_packed && packed.begin();
  }
  // For the side that receives.
  void end() { packed.learn(); }
  void unpack() { packed.unpack(); }
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

  // False where an argument is not certainly right.
  bool begin(Side<Place>& side, const Neighbours& with, bool receives) const {
    if (user == nullptr || counts == nullptr || places == nullptr || types == nullptr) return false;
    side.begin(receives ? with.sources : with.destinations, receives,
               [&](int k) { return moved_by(user, places[k], with.count_of(k, counts[k]), types[k]); });
    return true;
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

  // False where an argument is not certainly right.
  bool begin(Side<int>& side, const Neighbours& with, bool receives) const {
    MPI_Aint low = 0, extent = 0;
    if (user == nullptr || counts == nullptr || places == nullptr || !calls::is_certainly_a_type(type)) return false;
    if (pmpi().Type_get_extent(type, &low, &extent) != MPI_SUCCESS) return false;
    side.begin(receives ? with.sources : with.destinations, receives,
               [&](int k) { return moved_by(user, places[k] * extent, with.count_of(k, counts[k]), type); });
    return true;
  }
  OneTypeArguments of_host(const Side<int>& side) const {
    if (!side.is_packed) return *this;
    return {side.packed.data(), side.packed.byte_counts(), side.packed.places(), predefined().type_byte};
  }
};

// The program gets what has come also where the call fails, or where its handler throws.
template <class Received>
class Unpacked {
 public:
  explicit Unpacked(Received& received) : received_(received) {}
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  ~Unpacked() {
    if (received_.is_packed) received_.unpack();
  }

 private:
  Received& received_;
};

// `prepare(sent, received)` begins both sides, and is false where an argument is not certainly right. `run(sent,
// received)`: the host's function.
template <class Sent, class Received, class Prepare, class Run>
int exchange_packed(HostCall& host, Prepare prepare, Run run) {
  Sent sent;
  Received received;
  bool begun = false;
  HostCall::own([&] {
    begun = prepare(sent, received) && (sent.is_packed || received.is_packed);
    if (begun && sent.is_packed) sent.packed.pack();
    if (begun && received.is_packed) received.packed.pack();  // what does not come stays as it is
  });
  if (!begun) return host();
  return host.instead([&] {
    const Unpacked<Received> unpacked(received);
    const int code = run(sent, received);
    if (code == MPI_SUCCESS && received.is_packed) received.end();
    return code;
  });
}

}  // namespace

int processes_of(MPI_Comm comm) {
  const Communicator* const communicator = books::find(comm);
  return communicator == nullptr || communicator->remote ? 0 : communicator->map.size();
}

int alltoallw_by_calls(HostCall& host, void* sendbuf, const int* sendcounts, const int* sdispls,
                       const MPI_Datatype* sendtypes, void* recvbuf, const int* counts, const int* rdispls,
                       const MPI_Datatype* types, MPI_Comm comm) {
  using Arguments = TypedArguments<int>;
  const int processes = may_exchange(host.binding, sendbuf, recvbuf) ? processes_of(comm) : 0;
  if (processes == 0) return host();
  const Neighbours all{processes, processes};
  TypesInC of_sends, of_receives;
  Arguments send{sendbuf, sendcounts, sdispls, nullptr}, receive{recvbuf, counts, rdispls, nullptr};
  return exchange_packed<Side<int>, Side<int>>(
      host,
      [&](Side<int>& sent, Side<int>& received) {
        send.types = of_sends.read(host.binding, sendtypes, processes);
        receive.types = of_receives.read(host.binding, types, processes);
        return send.begin(sent, all, false) && receive.begin(received, all, true);
      },
      [&](const Side<int>& sent, const Side<int>& received) {
        const Arguments s = send.of_host(sent), r = receive.of_host(received);
        return pmpi().Alltoallw(s.user, s.counts, s.places, s.types, r.user, r.counts, r.places, r.types, comm);
      });
}

int neighbor_alltoallw_by_calls(HostCall& host, void* sendbuf, const int* sendcounts, void* sdispls,
                                const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts, void* rdispls,
                                const MPI_Datatype* recvtypes, MPI_Comm comm) {
  using Arguments = TypedArguments<MPI_Aint>;
  using Blocks = Side<MPI_Aint>;
  if (!may_exchange(host.binding, sendbuf, recvbuf)) return host();
  TypesInC of_sends, of_receives;
  Arguments send{sendbuf, sendcounts, static_cast<const MPI_Aint*>(sdispls), nullptr};
  Arguments receive{recvbuf, recvcounts, static_cast<const MPI_Aint*>(rdispls), nullptr};
  return exchange_packed<Blocks, Blocks>(
      host,
      [&](Blocks& sent, Blocks& received) {
        const Neighbours n = neighbours_of(comm);
        send.types = of_sends.read(host.binding, sendtypes, n.destinations);
        receive.types = of_receives.read(host.binding, recvtypes, n.sources);
        return send.begin(sent, n, false) && receive.begin(received, n, true);
      },
      [&](const Blocks& sent, const Blocks& received) {
        const Arguments s = send.of_host(sent), r = receive.of_host(received);
        return pmpi().Neighbor_alltoallw(s.user, s.counts, s.places, s.types, r.user, r.counts, r.places, r.types,
                                         comm);
      });
}
// With large counts all calls that have an array of them are the host's.
int neighbor_alltoallw_by_calls(HostCall& host, void*, void*, void*, const MPI_Datatype*, void*, void*, void*,
                                const MPI_Datatype*, MPI_Comm) {
  return host();
}

int neighbor_alltoallv_by_calls(HostCall& host, void* sendbuf, const int* sendcounts, const int* sdispls,
                                MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const int* rdispls,
                                MPI_Datatype recvtype, MPI_Comm comm) {
  if (!may_exchange(host.binding, sendbuf, recvbuf)) return host();
  const OneTypeArguments send{sendbuf, sendcounts, sdispls, sendtype};
  const OneTypeArguments receive{recvbuf, recvcounts, rdispls, recvtype};
  return exchange_packed<Side<int>, Side<int>>(
      host,
      [&](Side<int>& sent, Side<int>& received) {
        const Neighbours n = neighbours_of(comm);
        return send.begin(sent, n, false) && receive.begin(received, n, true);
      },
      [&](const Side<int>& sent, const Side<int>& received) {
        const OneTypeArguments s = send.of_host(sent), r = receive.of_host(received);
        return pmpi().Neighbor_alltoallv(s.user, s.counts, s.places, s.type, r.user, r.counts, r.places, r.type, comm);
      });
}
int neighbor_alltoallv_by_calls(HostCall& host, void*, void*, void*, MPI_Datatype, void*, void*, void*, MPI_Datatype,
                                MPI_Comm) {
  return host();
}

namespace {

// Equal blocks of one type, one behind the other.
struct EvenBlocks {
  void* user;
  MPI_Count count;  // of a block
  MPI_Datatype type;
};

// One side of an exchange of such blocks.
struct EvenSide {
  ProgramBuffer one{};
  int blocks = 0;
  PackedBuffer packed{};
  bool is_packed = false;

  // False where an argument is not certainly right.
  bool begin(Binding binding, const EvenBlocks& each, int its_blocks, bool receives) {
    const std::optional<ProgramBuffer> in_c = buffer_in_c(binding, each.user, each.count, each.type);
    if (!in_c || in_c->is_bottom) return false;
    one = *in_c;
    blocks = its_blocks;
    if (blocks == 0 || (receives && !calls::may_receive_blocks_packed())) return true;
    ProgramBuffer all = one;
    all.count *= blocks;
    is_packed = packed.begin(all, receives);
    return true;
  }
  // For the side that receives.
  void end() { packed.learn(one.type, packed.bytes()); }
  void unpack() { packed.unpack(packed.bytes()); }
  void* data() const { return is_packed ? packed.data() : one.user; }
  int count() const { return is_packed ? packed.elements() / blocks : static_cast<int>(one.count); }
  MPI_Datatype type() const { return is_packed ? packed.element() : one.type; }
};

// Every neighbour gets the same block, which nobody reads where there is none.
int blocks_for_all(const Neighbours& n) { return n.destinations == 0 ? 0 : 1; }

using EvenExchange = int (*)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);

// `all_from_one`: every neighbour gets the same block.
int exchange_evenly(HostCall& host, const EvenBlocks& send, bool all_from_one, const EvenBlocks& receive, MPI_Comm comm,
                    EvenExchange exchange) {
  if (!may_exchange(host.binding, send.user, receive.user)) return host();
  return exchange_packed<EvenSide, EvenSide>(
      host,
      [&](EvenSide& sent, EvenSide& received) {
        const Neighbours n = neighbours_of(comm);
        return sent.begin(host.binding, send, all_from_one ? blocks_for_all(n) : n.destinations, false) &&
               received.begin(host.binding, receive, n.sources, true);
      },
      [&](const EvenSide& s, const EvenSide& r) {
        return exchange(s.data(), s.count(), s.type(), r.data(), r.count(), r.type(), comm);
      });
}

}  // namespace

int neighbor_alltoall_by_calls(HostCall& host, void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange_evenly(host, {sendbuf, sendcount, sendtype}, false, {recvbuf, recvcount, recvtype}, comm,
                         pmpi().Neighbor_alltoall);
}

int neighbor_allgather_by_calls(HostCall& host, void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange_evenly(host, {sendbuf, sendcount, sendtype}, true, {recvbuf, recvcount, recvtype}, comm,
                         pmpi().Neighbor_allgather);
}

int neighbor_allgatherv_by_calls(HostCall& host, void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, const int* recvcounts, const int* displs, MPI_Datatype recvtype,
                                 MPI_Comm comm) {
  if (!may_exchange(host.binding, sendbuf, recvbuf)) return host();
  const OneTypeArguments receive{recvbuf, recvcounts, displs, recvtype};
  return exchange_packed<EvenSide, Side<int>>(
      host,
      [&](EvenSide& sent, Side<int>& received) {
        const Neighbours n = neighbours_of(comm);
        return sent.begin(host.binding, {sendbuf, sendcount, sendtype}, blocks_for_all(n), false) &&
               receive.begin(received, n, true);
      },
      [&](const EvenSide& s, const Side<int>& received) {
        const OneTypeArguments r = receive.of_host(received);
        return pmpi().Neighbor_allgatherv(s.data(), s.count(), s.type(), r.user, r.counts, r.places, r.type, comm);
      });
}
int neighbor_allgatherv_by_calls(HostCall& host, void*, MPI_Count, MPI_Datatype, void*, void*, void*, MPI_Datatype,
                                 MPI_Comm) {
  return host();
}

// MPI_Bcast by bytes that the engine packed, where every argument is certainly right; all other calls go to the host.
int bcast(HostCall& host, void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  broadcasts::Broadcast by_engine;
  bool begun = false;
  HostCall::own([&] {
    begun = matches(Sentinel::bottom, host.binding, buffer) == Match::no &&
            by_engine.begin(buffer, count, type, root, comm);
  });
  return begun ? host.instead([&] { return by_engine.run(); }) : host();
}

}  // namespace marshal::action
