// Open MPI's convertors: objects that pack or unpack one message, fragment by fragment. Once Open MPI has prepared a
// convertor of a type that is read, Marshal replaces the function that advances it: by the engine's, or by one that
// times Open MPI's own. All else of the convertor stays as Open MPI made it.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "host/host_hooks.h"
#include "host/host_order.h"
#include "types/packing_engine.h"

namespace marshal::convertors {

// One of Open MPI's convertors: its layout is that of 4.1 and 5.0, without a header of theirs. try_out()
// compares it with the host's actions.
struct Convertor;
// Moves the message on, by the iovecs. 1 once all of it has moved, 0 before.
using Advance = std::int32_t(Convertor*, iovec*, std::uint32_t* iovec_count, std::size_t* moved);

struct Convertor {
  std::byte object[16];
  std::uint32_t remote_architecture, flags;
  std::size_t local_size, remote_size;
  const void *type, *description;
  std::size_t count;
  std::uint32_t stack_size;
  std::byte* user;
  void* stack;
  Advance* advance;
  void* master;
  std::uint32_t stack_position;
  std::size_t partial_length;
  std::size_t converted;  // packed bytes done
};
static_assert(offsetof(Convertor, flags) == 20 && offsetof(Convertor, local_size) == 24);
static_assert(offsetof(Convertor, type) == 40 && offsetof(Convertor, count) == 56 && offsetof(Convertor, user) == 72);
static_assert(offsetof(Convertor, advance) == 88 && offsetof(Convertor, converted) == 120);

// Flags.
inline constexpr std::uint32_t for_receive = 0x20000, for_send = 0x40000, homogeneous = 0x80000, no_op = 0x100000;
inline constexpr std::uint32_t completed = 0x08000000;
// Checksums, and device memory in its three kinds.
inline constexpr std::uint32_t special = 0x200000 | 0x400000 | 0x800000 | 0x10000000;
inline constexpr std::uint32_t telling = homogeneous | no_op | special | completed;

inline SetConvertorPosition* host_set_position = nullptr;  // the host's own, from try_out() on

// Puts the convertor into the state that it would have without Marshal. Setting `converted` past the end makes
// set_position rewind first.
inline void give_back(Convertor& c, Advance* original) {
  c.advance = original;
  std::size_t position = c.converted;
  c.converted = std::numeric_limits<std::size_t>::max();
  host_set_position(&c, &position);
}

// Null if convertors are as this file says, and the engine can advance them; else why not. The host packs and unpacks a
// known type, watched, and again with the engine in its place. Before each, its convertor is moved by fragments, set to
// positions, asked for places and cloned. Calls MPI; before other threads do.
const char* try_out();

// While messages are not on: prepared by the host, and looked at if try_out() waits for it.
template <bool unpack>
int prepare_to_try(PrepareConvertor* next, void* convertor, const void* type, std::size_t count, const void* user);

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
