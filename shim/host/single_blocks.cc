#include "host/single_blocks.h"

#include <atomic>
#include <memory>
#include <new>

#include "base/immortal.h"
#include "host/generic_types.h"
#include "host/host_order.h"
#include "host/kept_back.h"
#include "host/reused_memory.h"
#include "host/ucx_endpoints.h"

namespace marshal::single_blocks {
namespace {

// Up to here MPICH sends either in one piece, and to look after a message takes as long as what is saved.
constexpr std::int64_t longest_piece = 8 * 1024;
// Over TCP, bytes are received faster by a generic datatype up to here. Who sends is not known.
constexpr std::int64_t longest_over_tcp = 256 * 1024;

constinit std::atomic<bool> sent{false};

struct ReceivedInfo {  // ucp_tag_recv_info_t
  std::uint64_t sender_tag;
  std::size_t length;
};
using ReceiveCallback = void(void* request, UcsStatus status, const ReceivedInfo* info, void* user_data);

// A receive under way: how many bytes come is known at its end. The type may be gone by then.
struct Receive {
  ReceiveCallback* host_callback;
  void* host_user_data;
  std::shared_ptr<const SharedLayout> layout;
  std::shared_ptr<MessageLife> life;
};

ReusedMemory& memory() {
  static Immortal<ReusedMemory> the(1024 * 1024);
  return *the;
}

void end(Receive* receive) {
  receive->~Receive();
  memory().give_back(receive);
}

void has_come(void* request, UcsStatus status, const ReceivedInfo* info, void* user_data) {
  auto* const receive = static_cast<Receive*>(user_data);
  const HostsObject the_hosts(receive);
  if (status == 0) {
    const auto bytes = static_cast<std::int64_t>(info->length);
    receive->layout->received.by_engine.add_fragment(bytes, true);
    receive->life->moved(bytes);
  }
  ReceiveCallback* const callback = receive->host_callback;
  void* const host_user_data = receive->host_user_data;
  end(receive);
  callback(request, status, info, host_user_data);
}

}  // namespace

void begin() { sent.store(true, std::memory_order_relaxed); }

bool send(const generic_types::Bound& type, SendTagged* next, void* endpoint, const void* user, std::uint64_t tag,
          const ucx::Parameters& given, bool synchronous, void*& returned) {
  const std::int64_t bytes = type.block_bytes;
  if (bytes <= longest_piece || !sent.load(std::memory_order_relaxed) || !ucx::is_understood(given) ||
      !endpoints::lead_to_own_job(endpoint))
    return false;
  KeptBack& kept = kept_back(endpoints::lead_over_tcp(endpoint));
  if (!synchronous && !kept.are(bytes)) {
    returned = next(endpoint, user, 1, tag, &given);
    kept.note(bytes, returned);
    return true;
  }
  type.layout->sent.by_engine.add_fragment(bytes, true);
  type.life->moved(bytes);
  const ucx::ParametersOfBytes own(given);
  returned =
      next(endpoint, static_cast<const std::byte*>(user) + type.block_at, static_cast<std::size_t>(bytes), tag, &own);
  generic_types::give_back_sent(type, user);
  return true;
}

void* receive(const generic_types::Bound& type, ReceiveTagged* next, void* worker, void* user, std::uint64_t tag,
              std::uint64_t tag_mask, const ucx::Parameters& given) {
  const std::int64_t longer_than = endpoints::some_over_tcp() ? longest_over_tcp : longest_piece;
  constexpr std::uint32_t needed = ucx::with_callback | ucx::not_at_once;  // or its end would not be told
  const bool is_possible =
      type.block_bytes > longer_than && ucx::is_understood(given) && (given.mask & needed) == needed;
  void* const room = is_possible ? memory().take(sizeof(Receive)) : nullptr;
  if (room == nullptr) return next(worker, user, 1, tag, tag_mask, &given);
  void* const host_user_data = (given.mask & ucx::with_user_data) != 0 ? given.user_data : nullptr;
  auto* const receive =
      new (room) Receive{reinterpret_cast<ReceiveCallback*>(given.callback), host_user_data, type.layout, type.life};
  ucx::ParametersOfBytes own(given);
  own.mask |= ucx::with_user_data;
  own.callback = reinterpret_cast<void*>(has_come);
  own.user_data = receive;
  const HostsObject the_hosts(receive);
  void* const returned = next(worker, static_cast<std::byte*>(user) + type.block_at,
                              static_cast<std::size_t>(type.block_bytes), tag, tag_mask, &own);
  if (!KeptBack::is_request(returned)) end(receive);
  generic_types::give_back_received(type, user);
  return returned;
}

}  // namespace marshal::single_blocks
