// Marshal's place in front of the functions inside MPI libraries through which messages pass, and of the PMPI_
// functions that free handles.
#include <mpi.h>

#include <cstddef>

#include "host/host_hooks.h"
#include "messages/message_engine.h"
#include "messages/mpich/cut_receives.h"
#include "messages/mpich/generic_operations.h"
#include "messages/mpich/generic_types.h"
#include "messages/mpich/sends_as_bytes.h"
#include "messages/mpich/ucx_endpoints.h"
#include "messages/openmpi/convertors.h"
#include "wrappers/actions/next_hooked.h"

namespace marshal {
namespace {

// The first call, apart from the others, which then need no stack for it: `function` is called again.
template <HostHook hook, class Result, class... Words>
[[gnu::noinline, gnu::cold]] Result begin_with(Result (*function)(Words...), const void* caller, Words... words) {
  find_next(hook, caller);
  return function(words...);
}

// Every message of the program comes this way: one without gaps leaves it after a few instructions.
template <HostHook hook, bool unpack>
[[gnu::always_inline]] inline int prepare(PrepareConvertor* function, void* convertor, const void* type,
                                          std::size_t count, const void* user) {
  auto* const next = found_next<hook, PrepareConvertor>();
  if (next == nullptr) [[unlikely]]
    return begin_with<hook>(function, __builtin_return_address(0), convertor, type, count, user);
  if (!messages::are_on()) [[unlikely]]
    return convertors::prepare_to_try<unpack>(next, convertor, type, count, user);
  const int code = next(convertor, type, count, user);
  if (code == 0 && convertors::can_be_taken(convertor) && !convertors::is_of_a_pack(convertor)) [[unlikely]]
    convertors::prepared<unpack>(convertor);
  return code;
}

// A jump for all but datatypes with gaps.
template <HostHook hook>
[[gnu::always_inline]] inline void* send(SendTagged* function, void* endpoint, const void* user, std::size_t count,
                                         std::uint64_t tag, const void* parameters) {
  auto* const next = found_next<hook, SendTagged>();
  if (next == nullptr) [[unlikely]]
    return begin_with<hook>(function, __builtin_return_address(0), endpoint, user, count, tag, parameters);
  const auto& given = *static_cast<const ucx::Parameters*>(parameters);
  if (!sends_as_bytes::are_on() || !ucx::has_generic_datatype(given)) [[likely]]
    return next(endpoint, user, count, tag, parameters);
  return sends_as_bytes::send(next, endpoint, user, count, tag, given, hook == HostHook::send_tagged_sync);
}

// The same. `at`: words between the buffer and the parameters.
template <HostHook hook, class... Words>
[[gnu::always_inline]] inline void* receive(void* (*function)(void*, void*, std::size_t, Words..., const void*),
                                            void* worker, void* user, std::size_t count, Words... at,
                                            const void* parameters) {
  auto* const next = found_next<hook, void*(void*, void*, std::size_t, Words..., const void*)>();
  if (next == nullptr) [[unlikely]]
    return begin_with<hook>(function, __builtin_return_address(0), worker, user, count, at..., parameters);
  const auto& given = *static_cast<const ucx::Parameters*>(parameters);
  if (!messages::are_on() || !ucx::has_generic_datatype(given) || !generic_types::are_unpacked_here(given.datatype))
      [[likely]]
    return next(worker, user, count, at..., parameters);
  const receive_ends::Watched watched(given);
  return next(worker, user, count, at..., &watched.parameters());
}

template <HostHook hook, class... Words>
[[gnu::always_inline]] inline void* receive_nb(void* (*function)(void*, void*, std::size_t, std::uint64_t, Words...,
                                                                 UcxReceiveCallback*),
                                               void* worker, void* user, std::size_t count, std::uint64_t datatype,
                                               Words... at, UcxReceiveCallback* callback) {
  auto* const next = found_next<hook, void*(void*, void*, std::size_t, std::uint64_t, Words..., UcxReceiveCallback*)>();
  if (next == nullptr) [[unlikely]]
    return begin_with<hook>(function, __builtin_return_address(0), worker, user, count, datatype, at..., callback);
  const bool is_watched = messages::are_on() && generic_types::are_unpacked_here(datatype);
  return next(worker, user, count, datatype, at..., is_watched ? receive_ends::in_front_of(callback) : callback);
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)
int opal_convertor_prepare_for_send(void* convertor, const void* type, std::size_t count, const void* user) {
  return prepare<HostHook::prepare_for_send, false>(opal_convertor_prepare_for_send, convertor, type, count, user);
}
int opal_convertor_prepare_for_recv(void* convertor, const void* type, std::size_t count, const void* user) {
  return prepare<HostHook::prepare_for_recv, true>(opal_convertor_prepare_for_recv, convertor, type, count, user);
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
  auto* const next = found_next<HostHook::create_generic, CreateGeneric>();
  if (next == nullptr) [[unlikely]]
    return begin_with<HostHook::create_generic>(ucp_dt_create_generic, __builtin_return_address(0), operations, context,
                                                made);
  return generic_types::create(next, operations, context, made);
}
void ucp_dt_destroy(std::uint64_t datatype) {
  auto* const next = found_next<HostHook::destroy_generic, DestroyGeneric>();
  if (next == nullptr) [[unlikely]]
    return begin_with<HostHook::destroy_generic>(ucp_dt_destroy, __builtin_return_address(0), datatype);
  generic_types::destroy(next, datatype);
}
UcsStatus ucp_ep_create(void* worker, const void* parameters, void** endpoint) {
  const UcsStatus status =
      next_of<HostHook::create_endpoint, CreateEndpoint>(__builtin_return_address(0))(worker, parameters, endpoint);
  if (status == 0) endpoints::note_created(*endpoint);
  return status;
}
void* ucp_tag_send_nbx(void* endpoint, const void* user, std::size_t count, std::uint64_t tag, const void* parameters) {
  return send<HostHook::send_tagged>(ucp_tag_send_nbx, endpoint, user, count, tag, parameters);
}
void* ucp_tag_send_sync_nbx(void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
                            const void* parameters) {
  return send<HostHook::send_tagged_sync>(ucp_tag_send_sync_nbx, endpoint, user, count, tag, parameters);
}
void* ucp_tag_recv_nbx(void* worker, void* user, std::size_t count, std::uint64_t tag, std::uint64_t tag_mask,
                       const void* parameters) {
  return receive<HostHook::receive_tagged, std::uint64_t, std::uint64_t>(ucp_tag_recv_nbx, worker, user, count, tag,
                                                                         tag_mask, parameters);
}
void* ucp_tag_msg_recv_nbx(void* worker, void* user, std::size_t count, void* message, const void* parameters) {
  return receive<HostHook::receive_message, void*>(ucp_tag_msg_recv_nbx, worker, user, count, message, parameters);
}
void* ucp_tag_recv_nb(void* worker, void* user, std::size_t count, std::uint64_t datatype, std::uint64_t tag,
                      std::uint64_t tag_mask, UcxReceiveCallback* callback) {
  return receive_nb<HostHook::receive_tagged_nb, std::uint64_t, std::uint64_t>(ucp_tag_recv_nb, worker, user, count,
                                                                               datatype, tag, tag_mask, callback);
}
void* ucp_tag_msg_recv_nb(void* worker, void* user, std::size_t count, std::uint64_t datatype, void* message,
                          UcxReceiveCallback* callback) {
  return receive_nb<HostHook::receive_message_nb, void*>(ucp_tag_msg_recv_nb, worker, user, count, datatype, message,
                                                         callback);
}
#pragma GCC visibility pop
}

}  // namespace marshal
