#include "host/whole_sends.h"

#include <new>

#include "base/immortal.h"
#include "host/generic_types.h"
#include "host/host_order.h"
#include "host/kept_back.h"
#include "host/reused_memory.h"
#include "host/ucx_endpoints.h"

namespace marshal::whole_sends {
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
Whole* pack(std::uint64_t datatype, const void* user, std::size_t count, std::int64_t bytes) {
  void* const room = memory().take(sizeof(Whole) + static_cast<std::size_t>(bytes));
  if (room == nullptr) return nullptr;
  Whole* const whole = new (room) Whole;
  if (generic_types::pack_whole(datatype, user, count, whole->packed(), bytes)) return whole;
  memory().give_back(whole);
  return nullptr;
}

KeptBack& kept_back() {
  static Immortal<KeptBack> the;
  return *the;
}

void* send_watched(SendTagged* next, void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
                   const ucx::Parameters& given, std::int64_t bytes) {
  void* const returned = next(endpoint, user, count, tag, &given);
  kept_back().note(bytes, returned);
  return returned;
}

}  // namespace

void begin() { detail::on.store(endpoints::some_over_tcp(), std::memory_order_release); }

void* send(SendTagged* next, void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
           const ucx::Parameters& given, bool synchronous) {
  const bool may_pack =
      ucx::is_understood(given) && (given.mask & ucx::with_callback) != 0 && endpoints::lead_over_tcp(endpoint);
  const std::int64_t bytes = may_pack ? generic_types::packed_bytes(given.datatype, count) : 0;
  if (bytes < shortest) return next(endpoint, user, count, tag, &given);

  if (!synchronous && !kept_back().are(bytes)) return send_watched(next, endpoint, user, count, tag, given, bytes);
  ucx::ParametersOfBytes own(given);
  if (const std::byte* const block = generic_types::take_whole_block(given.datatype, user, count))
    return next(endpoint, block, static_cast<std::size_t>(bytes), tag, &own);
  Whole* const whole = pack(given.datatype, user, count, bytes);
  if (whole == nullptr)
    return synchronous ? next(endpoint, user, count, tag, &given)
                       : send_watched(next, endpoint, user, count, tag, given, bytes);
  whole->host_callback = reinterpret_cast<SendCallback*>(given.callback);
  whole->host_user_data = (given.mask & ucx::with_user_data) != 0 ? given.user_data : nullptr;
  own.mask |= ucx::with_user_data;
  own.callback = reinterpret_cast<void*>(has_gone);
  own.user_data = whole;
  const HostsObject the_hosts(whole);
  void* const result = next(endpoint, whole->packed(), static_cast<std::size_t>(bytes), tag, &own);
  if (!KeptBack::is_request(result)) memory().give_back(whole);
  return result;
}

}  // namespace marshal::whole_sends
