// Open MPI's convertors: objects that pack or unpack one message, fragment by fragment. Once Open MPI has prepared a
// convertor of a type that is read, Marshal replaces the function that advances it: by the engine's, or by one that
// times Open MPI's own. All else of the convertor stays as Open MPI made it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/host_hooks.h"
#include "host/host_order.h"
#include "messages/openmpi/convertor.h"
#include "types/packing_engine.h"

namespace marshal::convertors {

// The type of a convertor that the host has prepared, as the key of its handle.
inline std::uint64_t key_of_type(void* convertor) {
  const HostsObject had(convertor);
  return reinterpret_cast<std::uintptr_t>(static_cast<const Convertor*>(convertor)->type);
}
// True if the convertor belongs to the program's MPI_Pack or MPI_Unpack, and to no message. Ask once for each.
inline bool is_of_a_pack(void* convertor) { return is_packing_by_host() || is_passed_on_pack(key_of_type(convertor)); }

// True if a convertor that the host has prepared has gaps to close, and nothing else to do.
inline bool can_be_taken(void* convertor) {
  const HostsObject had(convertor);
  return (static_cast<const Convertor*>(convertor)->flags & telling) == homogeneous;
}
// The engine or the trial takes the convertor of a message, one that can be taken, if its type is read.
template <bool unpack>
void prepared(void* convertor);

// The functions that stand in front of libopen-pal's, each given the host's own.
int set_position(SetConvertorPosition* next, void* convertor, std::size_t* position);
std::int32_t raw(RawConvertor* next, void* convertor, void* iovecs, std::uint32_t* iovec_count, std::size_t* length);

}  // namespace marshal::convertors
