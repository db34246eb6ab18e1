// The functions inside MPI libraries that Marshal stands in front of, beside the calls of the call table.
//
// Messages of derived datatypes pass through Open MPI's convertors (libopen-pal), and through UCX's generic datatypes,
// endpoints and sends, which MPICH uses. Their declarations are our own: no header of either is needed to build, and
// what is assumed of them is checked at start (message_engine.h).
//
// The PMPI_ functions that free handles end what Marshal keeps by handle (doc/HANDLES.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace marshal {

enum class HostHook : std::size_t {
#define MARSHAL_HOOK(hook, function) hook,
#include "host/host_hooks.table"
#undef MARSHAL_HOOK
};
inline constexpr const char* host_hook_names[] = {
#define MARSHAL_HOOK(hook, function) #function,
#include "host/host_hooks.table"
#undef MARSHAL_HOOK
};
inline constexpr std::size_t host_hook_count = std::size(host_hook_names);
constexpr const char* name_of(HostHook hook) { return host_hook_names[static_cast<std::size_t>(hook)]; }

// ucs_status_t: an enumeration of one byte.
using UcsStatus = signed char;

using PrepareConvertor = int(void* convertor, const void* type, std::size_t count, const void* user);
using SetConvertorPosition = int(void* convertor, std::size_t* position);
using RawConvertor = std::int32_t(void* convertor, void* iovecs, std::uint32_t* iovec_count, std::size_t* length);
using CreateGeneric = UcsStatus(const void* operations, void* context, std::uint64_t* made);
using DestroyGeneric = void(std::uint64_t datatype);
using CreateEndpoint = UcsStatus(void* worker, const void* parameters, void** endpoint);
// Returns null when the message has gone, an error as a pointer, or a request.
using SendTagged = void*(void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
                         const void* parameters);
// These return the same.
using ReceiveTagged = void*(void* worker, void* user, std::size_t count, std::uint64_t tag, std::uint64_t tag_mask,
                            const void* parameters);
using ReceiveMessage = void*(void* worker, void* user, std::size_t count, void* message, const void* parameters);
// ucp_tag_recv_info_t.
struct UcxReceived {
  std::uint64_t tag;
  std::size_t bytes;
};
// A receive has ended. The callback of the forms without parameters gets no user data.
using UcxReceiveCallback = void(void* request, UcsStatus status, const UcxReceived* received, void* user_data);
using ReceiveTaggedNb = void*(void* worker, void* user, std::size_t count, std::uint64_t datatype, std::uint64_t tag,
                              std::uint64_t tag_mask, UcxReceiveCallback* callback);
using ReceiveMessageNb = void*(void* worker, void* user, std::size_t count, std::uint64_t datatype, void* message,
                               UcxReceiveCallback* callback);

}  // namespace marshal
