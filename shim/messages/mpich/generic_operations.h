// The functions that UCX calls for each message of a generic datatype of MPICH's. A type that is bound to its layout
// has the engine's functions; all others have functions that watch MPICH's own. Part of generic_types.h. Called from
// inside UCX, on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "messages/mpich/bound_types.h"
#include "messages/mpich/ucx_datatype.h"

namespace marshal::generic_types {

// MPICH's functions, the same for all its types; set before the first message.
inline constinit ucx::GenericOperations mpich_operations{};

// The functions for a bound type. Their context is its Bound.
void* start_pack(void* context, const void* user, std::size_t count);
extern const ucx::GenericOperations engine_operations;
// The functions for all other types. Their context is MPICH's.
void* watched_start_pack(void* context, const void* user, std::size_t count);
extern const ucx::GenericOperations counting_operations;

// MPICH's state of the message of a watched type that this thread begins to pack next, where it is made already.
inline thread_local constinit void* begun_to_pack [[gnu::tls_model("initial-exec")]] = nullptr;

// Null where the datatype is not bound.
inline const Bound* bound(const ucx::GenericRecord* record) {
  const bool is_bound = record != nullptr && record->operations.start_pack == start_pack;
  return is_bound ? static_cast<const Bound*>(record->context) : nullptr;
}
inline bool is_watched(const ucx::GenericRecord* record) {
  return record != nullptr && record->operations.start_pack == watched_start_pack;
}
// True if functions of this file unpack messages of the datatype.
inline bool are_unpacked_here(std::uint64_t datatype) {
  const ucx::GenericRecord* const record = ucx::generic_record(datatype);
  return is_watched(record) || bound(record) != nullptr;
}
// MPICH's, of a type that is bound or watched.
inline void* host_context(const ucx::GenericRecord& record) {
  const Bound* const type = bound(&record);
  return type != nullptr ? type->host_context : record.context;
}

// MPICH's context is its own record of the type, which begins with the number in the handle.
inline std::uint32_t number_of_type(const void* context) {
  std::uint32_t number;
  std::memcpy(&number, context, sizeof(number));
  return number;
}
// The other bits of a handle are the same for all types; try_out() sets them. With them, the number makes the book's
// key of a watched type.
inline constinit std::uint64_t key_bits = 0;
inline std::uint64_t key_of_context(const void* context) { return key_bits | number_of_type(context); }

// A type may be bound while messages of it are under way. Messages begun before have MPICH's state; bit 0 of the
// pointer marks it.
inline constinit NewestDatatypes newest_datatypes;

// Binds a watched type in a message to its layout if the engine is to move it; set before the first message.
using TakeOver = void(std::uint64_t key, std::uint64_t datatype) noexcept;
inline constinit TakeOver* take_over = nullptr;

// A watched type is in a message of so many bytes. If that makes it worth reading and the engine takes its messages
// over from this one on, it is bound now; null where it is not.
const Bound* travels(const void* context, std::size_t bytes);

// 0 where it is out of range.
inline std::int64_t bytes_of(std::int64_t instance, std::size_t count) {
  const auto instances = static_cast<std::int64_t>(count);
  std::int64_t bytes;
  return instances <= 0 || __builtin_mul_overflow(instances, instance, &bytes) ? 0 : bytes;
}

}  // namespace marshal::generic_types
