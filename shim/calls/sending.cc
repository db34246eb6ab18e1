#include "calls/sending.h"

#include <array>
#include <memory>

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

// The peers of this process's node, and all others.
EagerBytes& peers_like(const Destination& to) {
  static Immortal<std::array<EagerBytes, 2>> all;
  return (*all)[is_on_own_node(to) ? 0 : 1];
}

}  // namespace

bool is_within_limits(const Destination& peer) {
  constexpr int least_upper_bound = 32767;  // of tags, in every MPI library
  const Communicator* const communicator = books::find(peer.communicator);
  return communicator != nullptr && peer.tag <= least_upper_bound && peer.rank < communicator->addressed().size();
}

bool PackedSend::begin_as_bytes(PackedBuffer& packed) {
  packed.pack();
  data_ = packed.data();
  count_ = packed.elements();
  type_ = packed.element();
  return true;
}

bool PackedSend::begin(PackedBuffer& packed, const Destination& to, bool may_be_watched) {
  using Way = EagerBytes::Way;
  peers_ = &peers_like(to);
  bytes_ = packed.bytes();
  way_ = peers_->choose(bytes_);
  if (is_watched() && !may_be_watched) way_ = Way::two_blocks;
  if (way_ != Way::two_blocks) return begin_as_bytes(packed);
  if (!carrier_.begin(packed)) return false;
  data_ = carrier_.data();
  count_ = 1;
  type_ = carrier_.type();
  return true;
}

int PackedSend::send_watched(PackedBuffer& packed, const Destination& to) const {
  const Pmpi& p = pmpi();
  MPI_Request request = predefined().request_null;
  const int code = p.Isend(data_, count_, type_, to.rank, to.tag, to.communicator, &request);
  if (code != MPI_SUCCESS) return code;
  const bool has_gone = has_ended(request);
  note(has_gone);
  if (!has_gone && attempt([&] { ExtendedRequest::leave(std::make_unique<SentBuffer>(std::move(packed)), request); }))
    return code;
  return p.Wait(&request, MPI_STATUS_IGNORE);
}

bool has_ended(MPI_Request request) {
  int flag = 0;
  return pmpi().Request_get_status(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0;
}

}  // namespace marshal::calls
