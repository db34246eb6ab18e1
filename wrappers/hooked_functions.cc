// Marshal's place in front of the functions inside MPI libraries through which messages pass. They are exported, too,
// for processes that preload this library itself.
#include "wrappers/hooked_functions.h"

#include <atomic>
#include <cstddef>

#include "host/convertors.h"
#include "host/generic_types.h"
#include "host/host_hooks.h"
#include "host/next_symbol.h"
#include "wrappers/door/missing_function.h"

namespace marshal {
namespace {

constinit std::atomic<void*> nexts[host_hook_count];

template <class Function>
[[gnu::always_inline]] inline Function* next_of(HostHook hook) {
  std::atomic<void*>& known = nexts[static_cast<std::size_t>(hook)];
  void* next = known.load(std::memory_order_relaxed);
  if (next == nullptr) [[unlikely]] {
    next = find_symbol_behind(name_of(hook), __builtin_return_address(0));
    if (next == nullptr) end_without_function(name_of(hook));
    known.store(next, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function*>(next);
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) PrepareConvertor opal_convertor_prepare_for_send,
    opal_convertor_prepare_for_recv;
__attribute__((visibility("default"))) SetConvertorPosition opal_convertor_set_position_nocheck;
__attribute__((visibility("default"))) RawConvertor opal_convertor_raw;
__attribute__((visibility("default"))) CreateGeneric ucp_dt_create_generic;
__attribute__((visibility("default"))) DestroyGeneric ucp_dt_destroy;

int opal_convertor_prepare_for_send(void* convertor, const void* type, std::size_t count, const void* user) {
  return convertors::prepare<false>(next_of<PrepareConvertor>(HostHook::prepare_for_send), convertor, type, count,
                                    user);
}
int opal_convertor_prepare_for_recv(void* convertor, const void* type, std::size_t count, const void* user) {
  return convertors::prepare<true>(next_of<PrepareConvertor>(HostHook::prepare_for_recv), convertor, type, count, user);
}
int opal_convertor_set_position_nocheck(void* convertor, std::size_t* position) {
  return convertors::set_position(next_of<SetConvertorPosition>(HostHook::set_position), convertor, position);
}
std::int32_t opal_convertor_raw(void* convertor, void* iovecs, std::uint32_t* iovec_count, std::size_t* length) {
  return convertors::raw(next_of<RawConvertor>(HostHook::raw), convertor, iovecs, iovec_count, length);
}
UcsStatus ucp_dt_create_generic(const void* operations, void* context, std::uint64_t* made) {
  return generic_types::create(next_of<CreateGeneric>(HostHook::create_generic), operations, context, made);
}
void ucp_dt_destroy(std::uint64_t datatype) {
  generic_types::destroy(next_of<DestroyGeneric>(HostHook::destroy_generic), datatype);
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
  };
  return hooks;
}

}  // namespace marshal
