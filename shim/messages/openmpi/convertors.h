// Open MPI's convertors: objects that pack or unpack one message, fragment by fragment. Once Open MPI has prepared a
// convertor of a type that is read, Marshal replaces the function that advances it: by the engine's, or by one that
// times Open MPI's own. All else of the convertor stays as Open MPI made it.
//
// A convertor's layout here is that of 4.1 and 5.0, without a header of theirs; try_out() compares it with the host's
// actions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "host/host_hooks.h"
#include "host/host_order.h"
#include "types/packing_by_host.h"

namespace marshal::convertors {

namespace detail {
constexpr std::uint32_t homogeneous = 0x80000, no_op = 0x100000;
// Checksums, and device memory in its three kinds.
constexpr std::uint32_t special = 0x200000 | 0x400000 | 0x800000 | 0x10000000;
constexpr std::uint32_t completed = 0x08000000;
constexpr std::uint32_t telling = homogeneous | no_op | special | completed;
constexpr std::size_t flags_at = 20, type_at = 40;
}  // namespace detail

// The type of a convertor that the host has prepared, as the key of its handle.
inline std::uint64_t key_of_type(void* convertor) {
  const HostsObject had(convertor);
  std::uint64_t key;
  std::memcpy(&key, static_cast<const std::byte*>(convertor) + detail::type_at, sizeof key);
  return key;
}
// True if the convertor belongs to the program's MPI_Pack or MPI_Unpack, and to no message. Ask once for each.
inline bool is_of_a_pack(void* convertor) { return is_packing_by_host() || is_passed_on_pack(key_of_type(convertor)); }

// True if a convertor that the host has prepared has gaps to close, and nothing else to do.
inline bool can_be_taken(void* convertor) {
  const HostsObject had(convertor);
  std::uint32_t flags;
  std::memcpy(&flags, static_cast<const std::byte*>(convertor) + detail::flags_at, sizeof flags);
  return (flags & detail::telling) == detail::homogeneous;
}
// The engine or the trial takes the convertor of a message, one that can be taken, if its type is read.
template <bool unpack>
void prepared(void* convertor);

// While messages are not on: prepared by the host, and looked at if try_out() waits for it.
template <bool unpack>
int prepare_to_try(PrepareConvertor* next, void* convertor, const void* type, std::size_t count, const void* user);

// The functions that stand in front of libopen-pal's, each given the host's own.
int set_position(SetConvertorPosition* next, void* convertor, std::size_t* position);
std::int32_t raw(RawConvertor* next, void* convertor, void* iovecs, std::uint32_t* iovec_count, std::size_t* length);

// Null if convertors are as expected; else why not. The host packs and unpacks a known type, watched, and again with
// the engine in its place. Before each, its convertor is moved by fragments, set to positions, asked for places and
// cloned. Calls MPI; before other threads do.
const char* try_out();

}  // namespace marshal::convertors
