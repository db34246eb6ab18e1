#include "host/whole_sends.h"

#include <array>
#include <chrono>
#include <mutex>
#include <new>

#include "base/immortal.h"
#include "host/generic_types.h"
#include "host/host_order.h"
#include "host/rendezvous_sizes.h"
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

enum : std::uint32_t {
  with_request = 1U << 0,
  with_callback = 1U << 1,
  with_user_data = 1U << 2,
  with_flags = 1U << 4,
  in_series = 1U << 19,
  understood = with_request | with_callback | with_user_data | detail::with_datatype | with_flags | in_series,
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

bool is_request(const void* result) {
  constexpr auto last_error = static_cast<std::uintptr_t>(-100);  // UCS_ERR_LAST
  const auto as_number = reinterpret_cast<std::uintptr_t>(result);
  return as_number != 0 && as_number < last_error;
}

struct Learned {
  std::mutex mutex;
  RendezvousSizes sizes;
};
Learned& learned() {
  static Immortal<Learned> the;
  return *the;
}

// UCX keeps bytes back from a smaller size on than what comes from a datatype. A program that relies on a message to go
// before it is received, as none should, must not wait under Marshal where it does not wait without.
bool is_kept_back(std::int64_t bytes) {
  Learned& the = learned();
  const std::lock_guard lock(the.mutex);
  return bytes >= the.sizes.from();
}

void learn(std::int64_t bytes, bool kept_back) {
  Learned& the = learned();
  const std::lock_guard lock(the.mutex);
  the.sizes.note(bytes, kept_back, std::chrono::steady_clock::now());
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

}  // namespace

void begin() { detail::on.store(endpoints::some_over_tcp(), std::memory_order_release); }

void* send(SendTagged* next, void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
           const void* parameters, bool synchronous) {
  const auto& given = *static_cast<const SendParameters*>(parameters);
  const bool is_possible = (given.mask & ~understood) == 0 && (given.mask & with_callback) != 0;
  const bool may_pack = is_possible && endpoints::lead_over_tcp(endpoint);
  const std::int64_t bytes = may_pack ? generic_types::packed_bytes(given.datatype, count) : 0;
  if (bytes < shortest) return next(endpoint, user, count, tag, parameters);

  Whole* const whole = synchronous || is_kept_back(bytes) ? pack(given.datatype, user, count, bytes) : nullptr;
  if (whole == nullptr) {
    void* const result = next(endpoint, user, count, tag, parameters);
    if (!synchronous && (result == nullptr || is_request(result))) learn(bytes, result != nullptr);
    return result;
  }
  whole->host_callback = reinterpret_cast<SendCallback*>(given.callback);
  whole->host_user_data = (given.mask & with_user_data) != 0 ? given.user_data : nullptr;
  struct : SendParameters {
    std::array<std::uint64_t, 8> later{};  // what has been added since, and the mask does not name
  } own;
  own.mask = (given.mask | with_user_data) & ~detail::with_datatype;  // without a datatype it is bytes
  own.flags = given.flags;
  own.request = given.request;
  own.callback = reinterpret_cast<void*>(has_gone);
  own.datatype = 0;
  own.user_data = whole;
  const HostsObject the_hosts(whole);
  void* const result = next(endpoint, whole->packed(), static_cast<std::size_t>(bytes), tag, &own);
  if (!is_request(result)) memory().give_back(whole);
  return result;
}

}  // namespace marshal::whole_sends
