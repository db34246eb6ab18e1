// libmarshal.so's place in front of the functions of host_hooks.h.
// Here, as only a preloaded library is found before the host's own. They lead to the library of the family once the
// door is open, and straight on until then and in every program without MPI: nothing is opened for them.
#include "wrappers/door/hooked.h"

#include <atomic>

#include "host/next_symbol.h"
#include "wrappers/door/missing_function.h"

namespace marshal {
namespace {

constinit std::atomic<void*> hooks[host_hook_count];

void* find_next(HostHook hook, const void* caller) {
  void* next = find_symbol_behind(name_of(hook), caller);
  if (next == nullptr) end_without_function(name_of(hook));
  // Another thread may have led it to the family meanwhile.
  void* none = nullptr;
  std::atomic<void*>& slot = hooks[static_cast<std::size_t>(hook)];
  return slot.compare_exchange_strong(none, next, std::memory_order_acq_rel) ? next : none;
}

// Every message of the program comes this way, so it is a jump: what needs the stack stands apart.
template <HostHook hook, class Function>
struct Way;
template <HostHook hook, class Result, class... Words>
struct Way<hook, Result(Words...)> {
  using Function = Result(Words...);

  [[gnu::always_inline]] static Result go(Words... words) {
    void* const to = hooks[static_cast<std::size_t>(hook)].load(std::memory_order_acquire);
    if (to == nullptr) [[unlikely]]
      return find(words..., __builtin_return_address(0));
    return reinterpret_cast<Function*>(to)(words...);
  }

 private:
  [[gnu::noinline, gnu::cold]] static Result find(Words... words, const void* caller) {
    return reinterpret_cast<Function*>(find_next(hook, caller))(words...);
  }
};

}  // namespace

void lead_hooks_to(void* const* functions) {
  for (std::size_t i = 0; i < host_hook_count; ++i)
    if (functions[i] != nullptr) hooks[i].store(functions[i], std::memory_order_release);
}

extern "C" {
#define MARSHAL_EXPORT __attribute__((visibility("default")))
MARSHAL_EXPORT PrepareConvertor opal_convertor_prepare_for_send, opal_convertor_prepare_for_recv;
MARSHAL_EXPORT SetConvertorPosition opal_convertor_set_position_nocheck;
MARSHAL_EXPORT RawConvertor opal_convertor_raw;
MARSHAL_EXPORT CreateGeneric ucp_dt_create_generic;
MARSHAL_EXPORT DestroyGeneric ucp_dt_destroy;
MARSHAL_EXPORT CreateEndpoint ucp_ep_create;
MARSHAL_EXPORT SendTagged ucp_tag_send_nbx, ucp_tag_send_sync_nbx;
MARSHAL_EXPORT ReceiveTagged ucp_tag_recv_nbx;
MARSHAL_EXPORT ReceiveMessage ucp_tag_msg_recv_nbx;
MARSHAL_EXPORT ReceiveTaggedNb ucp_tag_recv_nb;
MARSHAL_EXPORT ReceiveMessageNb ucp_tag_msg_recv_nb;
MARSHAL_EXPORT FreeHandle PMPI_Comm_free, PMPI_Comm_disconnect, PMPI_Group_free, PMPI_Win_free, PMPI_File_close,
    PMPI_Type_free, PMPI_Request_free;

int opal_convertor_prepare_for_send(void* convertor, const void* type, std::size_t count, const void* user) {
  return Way<HostHook::prepare_for_send, PrepareConvertor>::go(convertor, type, count, user);
}
int opal_convertor_prepare_for_recv(void* convertor, const void* type, std::size_t count, const void* user) {
  return Way<HostHook::prepare_for_recv, PrepareConvertor>::go(convertor, type, count, user);
}
int opal_convertor_set_position_nocheck(void* convertor, std::size_t* position) {
  return Way<HostHook::set_position, SetConvertorPosition>::go(convertor, position);
}
std::int32_t opal_convertor_raw(void* convertor, void* iovecs, std::uint32_t* iovec_count, std::size_t* length) {
  return Way<HostHook::raw, RawConvertor>::go(convertor, iovecs, iovec_count, length);
}
UcsStatus ucp_dt_create_generic(const void* operations, void* context, std::uint64_t* made) {
  return Way<HostHook::create_generic, CreateGeneric>::go(operations, context, made);
}
void ucp_dt_destroy(std::uint64_t datatype) { Way<HostHook::destroy_generic, DestroyGeneric>::go(datatype); }
UcsStatus ucp_ep_create(void* worker, const void* parameters, void** endpoint) {
  return Way<HostHook::create_endpoint, CreateEndpoint>::go(worker, parameters, endpoint);
}
void* ucp_tag_send_nbx(void* endpoint, const void* user, std::size_t count, std::uint64_t tag, const void* parameters) {
  return Way<HostHook::send_tagged, SendTagged>::go(endpoint, user, count, tag, parameters);
}
void* ucp_tag_send_sync_nbx(void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
                            const void* parameters) {
  return Way<HostHook::send_tagged_sync, SendTagged>::go(endpoint, user, count, tag, parameters);
}
void* ucp_tag_recv_nbx(void* worker, void* user, std::size_t count, std::uint64_t tag, std::uint64_t tag_mask,
                       const void* parameters) {
  return Way<HostHook::receive_tagged, ReceiveTagged>::go(worker, user, count, tag, tag_mask, parameters);
}
void* ucp_tag_msg_recv_nbx(void* worker, void* user, std::size_t count, void* message, const void* parameters) {
  return Way<HostHook::receive_message, ReceiveMessage>::go(worker, user, count, message, parameters);
}
void* ucp_tag_recv_nb(void* worker, void* user, std::size_t count, std::uint64_t datatype, std::uint64_t tag,
                      std::uint64_t tag_mask, UcxReceiveCallback* callback) {
  return Way<HostHook::receive_tagged_nb, ReceiveTaggedNb>::go(worker, user, count, datatype, tag, tag_mask, callback);
}
void* ucp_tag_msg_recv_nb(void* worker, void* user, std::size_t count, std::uint64_t datatype, void* message,
                          UcxReceiveCallback* callback) {
  return Way<HostHook::receive_message_nb, ReceiveMessageNb>::go(worker, user, count, datatype, message, callback);
}
int PMPI_Comm_free(void* handle) { return Way<HostHook::free_communicator, FreeHandle>::go(handle); }
int PMPI_Comm_disconnect(void* handle) { return Way<HostHook::disconnect_communicator, FreeHandle>::go(handle); }
int PMPI_Group_free(void* handle) { return Way<HostHook::free_group, FreeHandle>::go(handle); }
int PMPI_Win_free(void* handle) { return Way<HostHook::free_window, FreeHandle>::go(handle); }
int PMPI_File_close(void* handle) { return Way<HostHook::close_file, FreeHandle>::go(handle); }
int PMPI_Type_free(void* handle) { return Way<HostHook::free_type, FreeHandle>::go(handle); }
int PMPI_Request_free(void* handle) { return Way<HostHook::free_request, FreeHandle>::go(handle); }
}

}  // namespace marshal
