// One of Open MPI's convertors: its layout is that of 4.1 and 5.0, without a header of theirs. convertor_trial.h
// compares it with the host's actions.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "host/host_hooks.h"

namespace marshal::convertors {

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

}  // namespace marshal::convertors
