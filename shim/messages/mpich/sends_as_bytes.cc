#include "messages/mpich/sends_as_bytes.h"

#include <new>

#include "base/immortal.h"
#include "base/reused_memory.h"
#include "host/host_order.h"
#include "messages/mpich/generic_types.h"
#include "messages/mpich/rendezvous_sends.h"
#include "messages/mpich/ucx_endpoints.h"

namespace marshal::sends_as_bytes {
namespace {

constexpr std::int64_t shortest = 32 * 1024;
// In all, for messages under way and for the next ones; what is over goes fragment by fragment.
constexpr std::size_t most_memory = 64 * 1024 * 1024;

using SendCallback = void(void* request, UcsStatus status, void* user_data);

ReusedMemory& memory() {
  static Immortal<ReusedMemory> the(most_memory);
  return *the;
}

// A message on its way.
struct alignas(ReusedMemory::alignment) Whole {
  SendCallback* host_callback;
  void* host_user_data;
  std::byte* packed() { return reinterpret_cast<std::byte*>(this + 1); }
};

// UCX's, of a request; messages that have gone at once have none.
void has_gone(void* request, UcsStatus status, void* user_data) {
  Whole& whole = *static_cast<Whole*>(user_data);
  const HostsObject the_hosts(&whole);
  SendCallback* const callback = whole.host_callback;
  void* const host_user_data = whole.host_user_data;
  memory().give_back(&whole);
  callback(request, status, host_user_data);
}

// Null where the message is to go by fragments.
Whole* pack(const generic_types::Outgoing& message) {
  void* const room = memory().take(sizeof(Whole) + static_cast<std::size_t>(message.bytes));
  if (room == nullptr) return nullptr;
  Whole* const whole = new (room) Whole;
  if (generic_types::pack_whole(message, whole->packed())) return whole;
  memory().give_back(whole);
  return nullptr;
}

RendezvousSends& rendezvous_sends() {
  static Immortal<RendezvousSends> the;
  return *the;
}

void* send_by_datatype(SendTagged* next, void* endpoint, const generic_types::Outgoing& message, std::uint64_t tag,
                       const ucx::Parameters& given) {
  const generic_types::SendsByDatatype by_datatype(message);
  return next(endpoint, message.user, message.count, tag, &given);
}

void* send_watched(SendTagged* next, void* endpoint, const generic_types::Outgoing& message, std::uint64_t tag,
                   const ucx::Parameters& given) {
  void* const returned = send_by_datatype(next, endpoint, message, tag, given);
  rendezvous_sends().note(message.bytes, returned);
  return returned;
}

}  // namespace

void begin() { detail::on.store(endpoints::job_uses_tcp(), std::memory_order_release); }

void* send(SendTagged* next, void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
           const ucx::Parameters& given, bool synchronous) {
  const bool may_pack =
      ucx::is_understood(given) && (given.mask & ucx::with_callback) != 0 && endpoints::lead_over_tcp(endpoint);
  if (!may_pack) return next(endpoint, user, count, tag, &given);
  const generic_types::Outgoing message = generic_types::begin_to_send(given.datatype, user, count);
  if (message.bytes < shortest) return send_by_datatype(next, endpoint, message, tag, given);

  if (!synchronous && !rendezvous_sends().include(message.bytes))
    return send_watched(next, endpoint, message, tag, given);
  ucx::ParametersOfBytes own(given);
  const auto bytes = static_cast<std::size_t>(message.bytes);
  if (const std::byte* const block = generic_types::take_whole_block(message))
    return next(endpoint, block, bytes, tag, &own);
  Whole* const whole = pack(message);
  if (whole == nullptr)
    return synchronous ? send_by_datatype(next, endpoint, message, tag, given)
                       : send_watched(next, endpoint, message, tag, given);
  whole->host_callback = reinterpret_cast<SendCallback*>(given.callback);
  whole->host_user_data = (given.mask & ucx::with_user_data) != 0 ? given.user_data : nullptr;
  own.mask |= ucx::with_user_data;
  own.callback = reinterpret_cast<void*>(has_gone);
  own.user_data = whole;
  const HostsObject the_hosts(whole);
  void* const result = next(endpoint, whole->packed(), bytes, tag, &own);
  if (!RendezvousSends::is_request(result)) memory().give_back(whole);
  return result;
}

}  // namespace marshal::sends_as_bytes
