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

namespace marshal {

enum class HostHook : std::size_t {
  prepare_for_send,
  prepare_for_recv,
  set_position,
  raw,
  create_generic,
  destroy_generic,
  create_endpoint,
  send_tagged,
  send_tagged_sync,
  receive_tagged,
  receive_message,
  receive_tagged_nb,
  receive_message_nb,
  free_communicator,
  disconnect_communicator,
  free_group,
  free_window,
  close_file,
  free_type,
  free_request
};
inline constexpr std::size_t host_hook_count = 20;
inline constexpr const char* host_hook_names[host_hook_count] = {
    "opal_convertor_prepare_for_send",
    "opal_convertor_prepare_for_recv",
    "opal_convertor_set_position_nocheck",
    "opal_convertor_raw",
    "ucp_dt_create_generic",
    "ucp_dt_destroy",
    "ucp_ep_create",
    "ucp_tag_send_nbx",
    "ucp_tag_send_sync_nbx",
    "ucp_tag_recv_nbx",
    "ucp_tag_msg_recv_nbx",
    "ucp_tag_recv_nb",
    "ucp_tag_msg_recv_nb",
    "PMPI_Comm_free",
    "PMPI_Comm_disconnect",
    "PMPI_Group_free",
    "PMPI_Win_free",
    "PMPI_File_close",
    "PMPI_Type_free",
    "PMPI_Request_free",
};
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

// The handle is an MPI_Comm*, an MPI_Group* …
using FreeHandle = int(void* handle);

}  // namespace marshal
