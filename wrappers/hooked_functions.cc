// Marshal's place in front of the functions inside MPI libraries through which messages pass. They are exported, too,
// for processes that preload this library itself.
#include "wrappers/hooked_functions.h"

#include <atomic>
#include <cstddef>

#include "host/convertors.h"
#include "host/generic_types.h"
#include "host/host_hooks.h"
#include "host/message_engine.h"
#include "host/next_symbol.h"
#include "host/ucx_endpoints.h"
#include "host/whole_sends.h"
#include "wrappers/door/missing_function.h"

namespace marshal {
namespace {

constinit std::atomic<void*> nexts[host_hook_count];

template <HostHook hook>
[[gnu::noinline, gnu::cold]] void* find_next(const void* caller) {
  void* const next = find_symbol_behind(name_of(hook), caller);
  if (next == nullptr) end_without_function(name_of(hook));
  nexts[static_cast<std::size_t>(hook)].store(next, std::memory_order_relaxed);
  return next;
}

template <HostHook hook, class Function>
[[gnu::always_inline]] inline Function* next_of(const void* caller) {
  void* next = nexts[static_cast<std::size_t>(hook)].load(std::memory_order_relaxed);
  if (next == nullptr) [[unlikely]]
    next = find_next<hook>(caller);
  return reinterpret_cast<Function*>(next);
}

// Every message of the program comes this way: one without gaps leaves it after a few instructions.
template <HostHook hook, bool unpack>
[[gnu::always_inline]] inline int prepare(void* convertor, const void* type, std::size_t count, const void* user) {
  PrepareConvertor* const next = next_of<hook, PrepareConvertor>(__builtin_return_address(0));
  if (!messages::are_on()) [[unlikely]]
    return convertors::prepare_to_try<unpack>(next, convertor, type, count, user);
  const int code = next(convertor, type, count, user);
  if (code != 0 || !convertors::can_be_taken(convertor)) [[likely]]
    return code;
  convertors::prepared<unpack>(convertor);
  return code;
}

template <HostHook hook>
[[gnu::noinline, gnu::cold]] void* send_first(void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
                                              const void* parameters, const void* caller) {
  return reinterpret_cast<SendTagged*>(find_next<hook>(caller))(endpoint, user, count, tag, parameters);
}

// A jump for all but datatypes with gaps.
template <HostHook hook>
[[gnu::always_inline]] inline void* send(void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
                                         const void* parameters) {
  void* const next = nexts[static_cast<std::size_t>(hook)].load(std::memory_order_relaxed);
  if (next == nullptr) [[unlikely]]
    return send_first<hook>(endpoint, user, count, tag, parameters, __builtin_return_address(0));
  auto* const next_send = reinterpret_cast<SendTagged*>(next);
  if (!whole_sends::may_pack(parameters)) [[likely]]
    return next_send(endpoint, user, count, tag, parameters);
  return whole_sends::send(next_send, endpoint, user, count, tag, parameters, hook == HostHook::send_tagged_sync);
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) PrepareConvertor opal_convertor_prepare_for_send,
    opal_convertor_prepare_for_recv;
__attribute__((visibility("default"))) SetConvertorPosition opal_convertor_set_position_nocheck;
__attribute__((visibility("default"))) RawConvertor opal_convertor_raw;
__attribute__((visibility("default"))) CreateGeneric ucp_dt_create_generic;
__attribute__((visibility("default"))) DestroyGeneric ucp_dt_destroy;
__attribute__((visibility("default"))) CreateEndpoint ucp_ep_create;
__attribute__((visibility("default"))) SendTagged ucp_tag_send_nbx, ucp_tag_send_sync_nbx;

int opal_convertor_prepare_for_send(void* convertor, const void* type, std::size_t count, const void* user) {
  return prepare<HostHook::prepare_for_send, false>(convertor, type, count, user);
}
int opal_convertor_prepare_for_recv(void* convertor, const void* type, std::size_t count, const void* user) {
  return prepare<HostHook::prepare_for_recv, true>(convertor, type, count, user);
}
int opal_convertor_set_position_nocheck(void* convertor, std::size_t* position) {
  return convertors::set_position(next_of<HostHook::set_position, SetConvertorPosition>(__builtin_return_address(0)),
                                  convertor, position);
}
std::int32_t opal_convertor_raw(void* convertor, void* iovecs, std::uint32_t* iovec_count, std::size_t* length) {
  return convertors::raw(next_of<HostHook::raw, RawConvertor>(__builtin_return_address(0)), convertor, iovecs,
                         iovec_count, length);
}
UcsStatus ucp_dt_create_generic(const void* operations, void* context, std::uint64_t* made) {
  return generic_types::create(next_of<HostHook::create_generic, CreateGeneric>(__builtin_return_address(0)),
                               operations, context, made);
}
void ucp_dt_destroy(std::uint64_t datatype) {
  generic_types::destroy(next_of<HostHook::destroy_generic, DestroyGeneric>(__builtin_return_address(0)), datatype);
}
UcsStatus ucp_ep_create(void* worker, const void* parameters, void** endpoint) {
  const UcsStatus status =
      next_of<HostHook::create_endpoint, CreateEndpoint>(__builtin_return_address(0))(worker, parameters, endpoint);
  if (status == 0) endpoints::note_created(*endpoint);
  return status;
}
void* ucp_tag_send_nbx(void* endpoint, const void* user, std::size_t count, std::uint64_t tag, const void* parameters) {
  return send<HostHook::send_tagged>(endpoint, user, count, tag, parameters);
}
void* ucp_tag_send_sync_nbx(void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
                            const void* parameters) {
  return send<HostHook::send_tagged_sync>(endpoint, user, count, tag, parameters);
}
}

void* const* host_hooks() {
  static void* const hooks[host_hook_count] = {
      reinterpret_cast<void*>(opal_convertor_prepare_for_send),
      reinterpret_cast<void*>(opal_convertor_prepare_for_recv),
      reinterpret_cast<void*>(opal_convertor_set_position_nocheck),
      reinterpret_cast<void*>(opal_convertor_raw),
      reinterpret_cast<void*>(ucp_dt_create_generic),
      reinterpret_cast<void*>(ucp_dt_destroy),
      reinterpret_cast<void*>(ucp_ep_create),
      reinterpret_cast<void*>(ucp_tag_send_nbx),
      reinterpret_cast<void*>(ucp_tag_send_sync_nbx),
  };
  return hooks;
}

}  // namespace marshal
