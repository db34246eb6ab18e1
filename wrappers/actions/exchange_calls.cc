// MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw, which may go by nodes (exchange/exchange.h).
#include <optional>
#include <type_traits>
#include <utility>

#include "calls/by_calls.h"
#include "exchange/exchange.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "wrappers/actions/collective_calls.h"
#include "wrappers/entry/actions.h"
#include "wrappers/entry/sentinels.h"

namespace marshal::action {
namespace {

using exchange::Exchange;

// The buffer of one side of an exchange by nodes, without counts, places and types.
struct ExchangeSide {
  exchange::Arguments arguments;
  bool is_certain;

  ExchangeSide(Binding binding, void* user) : is_certain(matches(Sentinel::bottom, binding, user) != Match::unknown) {
    arguments.is_bottom = matches(Sentinel::bottom, binding, user) == Match::yes;
    arguments.user = arguments.is_bottom ? nullptr : user;
  }
};

// `otherwise(is_own)` makes the call by the host; `is_own`: it is not in a callback of the host's.
template <class Otherwise>
int exchange_by_nodes(Exchange which, HostCall& host, const void* sendbuf, ExchangeSide send,
                      const ExchangeSide& receive, const void* recvbuf, MPI_Comm comm, Otherwise otherwise) {
  ThreadState& thread = this_thread();
  const bool is_own = thread.depth == 1 || std::exchange(thread.comes_again, false);
  std::optional<exchange::Turn> turn;
  if (exchange::is_on()) HostCall::own([&] { turn.emplace(which, comm); });
  if (!turn) return otherwise(is_own);
  const Match in_place = matches(Sentinel::in_place, host.binding, sendbuf);
  if (in_place == Match::yes) send = receive;
  // As MPICH compares them, which refuses also two that are null.
  const void* const user = receive.arguments.user;
  const bool one_buffer = send.arguments.user == user && !(user == nullptr && is_open_mpi());
  const bool may_take_part = in_place != Match::unknown && send.is_certain && receive.is_certain &&
                             matches(Sentinel::in_place, host.binding, recvbuf) == Match::no &&
                             (in_place == Match::yes || !one_buffer);
  std::optional<int> by_nodes;
  if (turn->goes_by_nodes()) by_nodes = turn->run(send.arguments, receive.arguments, may_take_part, is_own);
  const int code = !by_nodes ? otherwise(is_own) : host.instead([&] {
    if (*by_nodes != MPI_SUCCESS && pmpi().Comm_call_errhandler != nullptr)
      pmpi().Comm_call_errhandler(comm, *by_nodes);
    return *by_nodes;
  });
  if (code == MPI_SUCCESS)
    turn->end(send.arguments, may_take_part);
  else
    HostCall::own([&] { turn->fail(code, send.arguments, receive.arguments); });
  return code;
}

template <class Count, class Place>
int exchange_blocks(Exchange which, HostCall& host, void* sendbuf, const Count* sendcounts, const Place* sdispls,
                    MPI_Datatype sendtype, const MPI_Datatype* sendtypes, void* recvbuf, const Count* counts,
                    const Place* rdispls, MPI_Datatype type, const MPI_Datatype* types, MPI_Comm comm, auto otherwise) {
  const auto side = [&](void* user, const Count* its_counts, const Place* places, MPI_Datatype its_type,
                        const MPI_Datatype* its_types) {
    ExchangeSide one(host.binding, user);
    one.arguments.are_large = !std::is_same_v<Count, int>;
    one.arguments.counts = its_counts;
    one.arguments.places = places;
    one.arguments.type = its_type;
    one.arguments.types = its_types;
    if (its_counts == nullptr || places == nullptr) one.is_certain = false;
    return one;
  };
  return exchange_by_nodes(which, host, sendbuf, side(sendbuf, sendcounts, sdispls, sendtype, sendtypes),
                           side(recvbuf, counts, rdispls, type, types), recvbuf, comm, otherwise);
}

template <class Count, class Place>
int exchange_blocks_of_types(HostCall& host, void* sendbuf, const Count* sendcounts, const Place* sdispls,
                             const MPI_Datatype* sendtypes, void* recvbuf, const Count* counts, const Place* rdispls,
                             const MPI_Datatype* types, MPI_Comm comm, auto otherwise) {
  TypesInC of_sends, of_receives;
  const bool in_place = matches(Sentinel::in_place, host.binding, sendbuf) != Match::no;
  const int processes = processes_of(comm);
  const MPI_Datatype *send = nullptr, *receive = nullptr;
  if (exchange::is_on())
    HostCall::own([&] {
      send = in_place ? nullptr : of_sends.read(host.binding, sendtypes, processes);
      receive = of_receives.read(host.binding, types, processes);
    });
  const MPI_Datatype none = predefined().type_null;  // which cannot take part
  return exchange_blocks(Exchange::alltoallw, host, sendbuf, sendcounts, sdispls, none, send, recvbuf, counts, rdispls,
                         none, receive, comm, otherwise);
}

}  // namespace

int alltoall(HostCall& host, void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count each,
             MPI_Datatype type, MPI_Comm comm) {
  ExchangeSide send(host.binding, sendbuf), receive(host.binding, recvbuf);
  send.arguments.count = sendcount;
  send.arguments.type = sendtype;
  receive.arguments.count = each;
  receive.arguments.type = type;
  return exchange_by_nodes(Exchange::alltoall, host, sendbuf, send, receive, recvbuf, comm,
                           [&](bool) { return host(); });
}

int alltoallv(HostCall& host, void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
              void* recvbuf, const int* counts, const int* rdispls, MPI_Datatype type, MPI_Comm comm) {
  return exchange_blocks(Exchange::alltoallv, host, sendbuf, sendcounts, sdispls, sendtype, nullptr, recvbuf, counts,
                         rdispls, type, nullptr, comm, [&](bool) { return host(); });
}
int alltoallv(HostCall& host, void* sendbuf, void* sendcounts, void* sdispls, MPI_Datatype sendtype, void* recvbuf,
              void* counts, void* rdispls, MPI_Datatype type, MPI_Comm comm) {
  return exchange_blocks(Exchange::alltoallv, host, sendbuf, static_cast<const MPI_Count*>(sendcounts),
                         static_cast<const MPI_Aint*>(sdispls), sendtype, nullptr, recvbuf,
                         static_cast<const MPI_Count*>(counts), static_cast<const MPI_Aint*>(rdispls), type, nullptr,
                         comm, [&](bool) { return host(); });
}

int alltoallw(HostCall& host, void* sendbuf, const int* sendcounts, const int* sdispls, const MPI_Datatype* sendtypes,
              void* recvbuf, const int* counts, const int* rdispls, const MPI_Datatype* types, MPI_Comm comm) {
  return exchange_blocks_of_types(
      host, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, counts, rdispls, types, comm, [&](bool is_own) {
        return calls::are_on() && is_own ? alltoallw_by_calls(host, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                              counts, rdispls, types, comm)
                                         : host();
      });
}
int alltoallw(HostCall& host, void* sendbuf, void* sendcounts, void* sdispls, const MPI_Datatype* sendtypes,
              void* recvbuf, void* counts, void* rdispls, const MPI_Datatype* types, MPI_Comm comm) {
  return exchange_blocks_of_types(host, sendbuf, static_cast<const MPI_Count*>(sendcounts),
                                  static_cast<const MPI_Aint*>(sdispls), sendtypes, recvbuf,
                                  static_cast<const MPI_Count*>(counts), static_cast<const MPI_Aint*>(rdispls), types,
                                  comm, [&](bool) { return host(); });
}

}  // namespace marshal::action
