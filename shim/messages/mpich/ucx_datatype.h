// UCX's generic datatypes as numbers: a number of that class is the address of a record, with the class in its low
// bits. UCX keeps that to itself and promises nothing: it was so in 1.13 and in the older forms that were read.
// generic_types.h looks at start whether the context and all functions of a datatype stand where this says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/host_hooks.h"

namespace marshal::ucx {

// ucp_generic_dt_ops_t, as UCX documents it.
struct GenericOperations {
  void* (*start_pack)(void* context, const void* user, std::size_t count);
  void* (*start_unpack)(void* context, void* user, std::size_t count);
  std::size_t (*packed_size)(void* state);
  std::size_t (*pack)(void* state, std::size_t offset, void* packed, std::size_t room);
  UcsStatus (*unpack)(void* state, std::size_t offset, const void* packed, std::size_t bytes);
  void (*finish)(void* state);
  bool operator==(const GenericOperations&) const = default;
};

// ucp_dt_generic_t, which UCX allocates.
struct GenericRecord {
  void* context;
  GenericOperations operations;
};

inline constexpr std::uint64_t class_bits = 7, generic_class = 7;
constexpr bool is_generic(std::uint64_t datatype) { return (datatype & class_bits) == generic_class; }

// The number must be one that UCX gave out.
inline GenericRecord& record_of_generic(std::uint64_t datatype) {
  return *reinterpret_cast<GenericRecord*>(static_cast<std::uintptr_t>(datatype & ~class_bits));
}
// The same; null where the datatype is of another class.
inline GenericRecord* generic_record(std::uint64_t datatype) {
  return is_generic(datatype) ? &record_of_generic(datatype) : nullptr;
}

}  // namespace marshal::ucx
