#include "calls/sending.h"

#include <array>
#include <chrono>

#include "base/attempt.h"
#include "base/immortal.h"
#include "communicators/communicators.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"

namespace marshal::calls {
namespace {

bool is_on_own_node(const Destination& to) {
  const NodeMap& nodes = node_map();
  const Communicator* const communicator = books::find(to.communicator);
  if (communicator == nullptr || !communicator->own_job) return false;
  if (nodes.nodes() == 1) return true;
  const RankMap& map = communicator->addressed();
  if (nodes.nodes() == 0 || !map.tracked() || to.rank >= map.size()) return false;
  const std::int32_t own = process_groups().world_rank();
  return nodes.node_of(map.process(to.rank).lpid) == nodes.node_of(own);
}

}  // namespace

SendLimits& limits_of(const Destination& to) {
  static Immortal<std::array<SendLimits, 2>> all;
  return (*all)[is_on_own_node(to) ? 0 : 1];
}

int send_watched(SendAs as, PackedBuffer& packed, const ProgramBuffer& buffer, const Destination& to,
                 MPI_Request& request) {
  const bool by_bytes = as == SendAs::watched_bytes;
  if (by_bytes) packed.pack();
  const int code = by_bytes ? pmpi().Isend(packed.data(), packed.elements(), packed.element(), to.rank, to.tag,
                                           to.communicator, &request)
                            : pmpi().Isend(buffer.user, static_cast<int>(buffer.count), buffer.type, to.rank, to.tag,
                                           to.communicator, &request);
  int has_gone = 0;
  if (code != MPI_SUCCESS) return code;
  const int tested = pmpi().Test(&request, &has_gone, MPI_STATUS_IGNORE);
  if (tested != MPI_SUCCESS) return tested;
  limits_of(to).note(as, packed.bytes(), has_gone == 0, std::chrono::steady_clock::now());
  if (has_gone == 0 && by_bytes && attempt([&] { packed.abandon(); })) return pmpi().Request_free(&request);
  return MPI_SUCCESS;
}

int send(PackedBuffer& packed, const ProgramBuffer& buffer, const Destination& to) {
  const SendAs as = limits_of(to).choose(packed.bytes());
  if (as == SendAs::bytes) {
    packed.pack();
    return pmpi().Send(packed.data(), packed.elements(), packed.element(), to.rank, to.tag, to.communicator);
  }
  MPI_Request request = predefined().request_null;
  const int code = send_watched(as, packed, buffer, to, request);
  if (code != MPI_SUCCESS || request == predefined().request_null) return code;
  return pmpi().Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace marshal::calls
